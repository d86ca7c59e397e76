// The language server as the extension starts it. VFLC names the program.
import assert from 'node:assert';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as protocol from 'vscode-languageserver-protocol/node';

const vflc = process.env.VFLC;
const skip = vflc ? false : 'VFLC names no program';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'vfl-test-'));
const uri = pathToFileURL(path.join(folder, 'trial.vfl')).toString();
const text = `server registry
client lab
data y : real[N] @ shared
data x : real[N] @ lab
param m ~ normal(0, 1)
param β ~ normal(0, 1) @ lab
y ~ normal(m + x * β, 1)
transform exact
`;

let process_: ChildProcess;
let connection: protocol.ProtocolConnection;
let capabilities: protocol.ServerCapabilities;
const published: protocol.PublishDiagnosticsParams[] = [];
let heard: () => void = () => undefined;

/** change gives the server a text, and waits until it has said what is wrong with it. */
async function change(version: number, newText: string): Promise<protocol.Diagnostic[]> {
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version },
    contentChanges: [{ text: newText }],
  });
  return about(version);
}

async function about(version: number): Promise<protocol.Diagnostic[]> {
  for (;;) {
    const found = published.find((p) => p.uri === uri && p.version === version);
    if (found) return found.diagnostics;
    await new Promise<void>((next) => (heard = next));
  }
}

const at = (word: string) => {
  const before = text.slice(0, text.indexOf(word)).split('\n');
  return { textDocument: { uri }, position: { line: before.length - 1, character: before[before.length - 1].length } };
};

before(async () => {
  if (!vflc) return;
  process_ = spawn(vflc, ['lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  connection = protocol.createProtocolConnection(process_.stdout!, process_.stdin!);
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (p) => {
    published.push(p);
    heard();
  });
  for (const request of [protocol.InlayHintRefreshRequest.type, protocol.CodeLensRefreshRequest.type]) connection.onRequest(request, () => undefined);
  connection.listen();
  const { capabilities: of } = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).toString(),
    capabilities: {
      textDocument: { publishDiagnostics: { versionSupport: true, codeDescriptionSupport: true } },
      workspace: { inlayHint: { refreshSupport: true }, codeLens: { refreshSupport: true } },
    },
    initializationOptions: { commands: ['vflc.audit', 'vflc.explain'] },
  });
  capabilities = of;
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'vfl', version: 1, text },
  });
  await about(1);
});

after(async () => {
  fs.rmSync(folder, { recursive: true });
  if (!vflc) return;
  await connection.sendRequest(protocol.ShutdownRequest.type);
  const ended = new Promise((done) => process_.once('exit', done));
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.strictEqual(await ended, 0);
  connection.dispose();
});

test('what the server can do', { skip }, () => {
  const { contributes } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
  const [{ scopes }] = contributes.semanticTokenScopes;
  const { tokenTypes } = (capabilities.semanticTokensProvider as protocol.SemanticTokensOptions).legend;
  for (const type of tokenTypes) assert.ok(scopes[type], `no scope of the tokens ${type}`);
  for (const scope of Object.keys(scopes)) assert.ok(tokenTypes.includes(scope.split('.')[0]), `the server has no tokens ${scope}`);
  // the extension registers the commands: the client may not do so a second time
  assert.strictEqual(capabilities.executeCommandProvider, undefined);
  for (const name of ['hoverProvider', 'completionProvider', 'definitionProvider', 'renameProvider', 'documentFormattingProvider', 'codeActionProvider', 'inlayHintProvider', 'codeLensProvider'] as const) {
    assert.ok(capabilities[name], name);
  }
});

test('a mistake is found as it is typed, and is gone when it is mended', { skip }, async () => {
  const wrong = await change(2, text.replace('x * β', 'x * gamma'));
  assert.strictEqual(wrong.filter((d) => d.severity === protocol.DiagnosticSeverity.Error).length, 1);
  assert.match(String(wrong[0].code), /^V\d{4}$/);
  assert.match(wrong[0].codeDescription!.href, /^vflc-explain:V\d{4}\.md$/);
  const right = await change(3, text);
  assert.deepStrictEqual(right.filter((d) => d.severity === protocol.DiagnosticSeverity.Error), []);
});

test('a page of documentation, and what crosses', { skip }, async () => {
  const hover = await connection.sendRequest(protocol.HoverRequest.type, at('normal(0'));
  assert.match(JSON.stringify(hover), /normal\(mu, sigma\)/);
  const range = { start: { line: 0, character: 0 }, end: { line: 8, character: 0 } };
  const hints = await connection.sendRequest(protocol.InlayHintRequest.type, { textDocument: { uri }, range });
  assert.match(JSON.stringify(hints), /→ registry/);
});

test('the lens opens the audit by the command of the extension', { skip }, async () => {
  const [lens] = (await connection.sendRequest(protocol.CodeLensRequest.type, { textDocument: { uri } }))!;
  const { contributes } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
  assert.ok(contributes.commands.some((c: { command: string }) => c.command === lens.command!.command));
  const audit = await connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: 'vflc.audit', arguments: [uri] });
  assert.match(audit, /lab/);
  const page = await connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: 'vflc.explain', arguments: ['V0107'] });
  assert.match(page, /malformed number/);
});

test('programs of parties and a report', { skip }, () => {
  const run = (...args: string[]) => execFileSync(vflc!, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  fs.writeFileSync(path.join(folder, 'trial.vfl'), text);
  run('compile', '--split-by', 'client', path.join(folder, 'trial.vfl'), '-o', path.join(folder, 'build'));
  assert.ok(fs.readdirSync(path.join(folder, 'build')).includes('lab.vfl'));
  fs.writeFileSync(path.join(folder, 'one.vfl'), 'data y : real[N]\nparam m ~ normal(0, 1)\ny ~ normal(m, 1)\n');
  fs.mkdirSync(path.join(folder, 'one'));
  fs.writeFileSync(path.join(folder, 'one', 'data.csv'), 'y\n0.5\n1.5\n-0.5\n');
  run('run', 'one.vfl', '-o', path.join('runs', 'one-20261128T120000'), '--draws', '50', '--chains', '1', '--quiet');
  assert.ok(fs.existsSync(path.join(folder, 'runs', 'one-20261128T120000', 'summary.json')));
  const report = run('report', path.join(folder, 'runs', 'one-20261128T120000'), '-o', '-');
  // the editor shows it as it is
  assert.match(report, /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;/);
});
