// What the extension does in an editor, of which test/standin has the parts that it uses.
import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after, before, beforeEach } from 'node:test';
import { find, missing } from '../src/binary';
import { activate, deactivate } from '../src/extension';
import { LanguageClient } from './standin/languageclient';
import { done, type Document, of, state, type Task, Uri, window } from './standin/vscode';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'vfl-test-'));
const program = path.join(folder, 'vflc');
const model = path.join(folder, 'trial.vfl');
const subscriptions: { dispose(): unknown }[] = [];

/** script makes the program one that notes its arguments and then does as told. */
function script(does: string): void {
  fs.writeFileSync(program, `#!/bin/sh\necho "$PWD: $@" >> "${folder}/calls"\n${does}\n`, { mode: 0o755 });
}
const calls = (): string[] => fs.readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n');
const errors = (): string[] => of('error').map(([text]) => String(text));
const command = (name: string, ...args: unknown[]): Promise<unknown> => Promise.resolve(state.commands.get(name)!(...args));

before(async () => {
  fs.writeFileSync(model, 'param b ~ normal(0, 1)\n');
  script('');
  state.settings = { path: program };
  await activate({ subscriptions } as never);
});
after(async () => {
  await deactivate();
  for (const s of subscriptions) s.dispose();
  fs.rmSync(folder, { recursive: true });
});
beforeEach(() => {
  done.length = 0;
  state.documents = [];
  state.trusted = true;
  state.settings = { path: program };
  fs.rmSync(path.join(folder, 'calls'), { force: true });
  const document = { uri: Uri.file(model), languageId: 'vfl', isDirty: false, text: '', save: async () => true };
  window.activeTextEditor = { document, viewColumn: 1 };
  state.documents.push(document);
});

test('the manifest names the commands and settings that there are', () => {
  const { contributes, capabilities } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
  const listed = contributes.commands.map((c: { command: string }) => c.command);
  assert.deepStrictEqual([...listed, 'vflc.explain'].sort(), [...state.commands.keys()].sort());
  const settings = Object.keys(contributes.configuration.properties);
  const source = fs.readFileSync('src/commands.ts', 'utf8') + fs.readFileSync('src/extension.ts', 'utf8');
  for (const name of settings) assert.match(source, new RegExp(`'${name.replace('vflc.', '')}'`), name);
  // whatever names a program, its arguments or a place to write is the user's own where the folder is not trusted
  const own = settings.filter((name) => contributes.configuration.properties[name].type !== 'boolean');
  assert.deepStrictEqual([...capabilities.untrustedWorkspaces.restrictedConfigurations].sort(), own.sort());
});

test('the server is started by its path, and the status has its version', async () => {
  await command('vflc.restart');
  const [[client]] = of('client') as [[LanguageClient]];
  assert.deepStrictEqual(client.server, { command: program, args: ['lsp'], transport: 0 });
  assert.deepStrictEqual((client.options as { initializationOptions: unknown }).initializationOptions, { commands: ['vflc.audit', 'vflc.explain'] });
  assert.deepStrictEqual([state.status!.text, state.status!.detail], ['vflc v1.2.3', `v1.2.3 go1.26 linux/amd64, ${program}`]);
  assert.strictEqual(of('stop').length, 1);
});

test('a program that is not there is said with the way out', async () => {
  state.settings = { path: path.join(folder, 'nowhere') };
  state.answer = 'Open the setting';
  await command('vflc.restart');
  assert.match(errors()[0], /nowhere" is not there\. Install vflc, or give the path .* vflc\.path/);
  assert.deepStrictEqual(of('command'), [['workbench.action.openSettings', 'vflc.path']]);
  assert.strictEqual(state.status!.severity, 2);
  await command('vflc.audit');
  assert.match(String((of('show')[0][0] as Document).text), /vflc lsp is not running/);
  state.settings = { path: program };
  state.configured.fire({ affectsConfiguration: (name) => name === 'vflc.path' });
  await deactivate(); // after the start under way
  assert.strictEqual(of('start').length, 1);
});

test('a server that does not start is said once, and can be started again', async () => {
  const starts: [() => void, string][] = [
    [() => script(`echo 'unknown command "lsp"' >&2; exit 1`), 'unknown command "lsp"'], // an older vflc
    [() => (LanguageClient.refuses = 'no answer'), 'no answer'],
  ];
  for (const [fails, why] of starts) {
    fails();
    await command('vflc.restart');
    assert.strictEqual(state.status!.severity, 2);
    const said = errors();
    assert.strictEqual(said.pop(), `vflc: "${program} lsp" does not start (${why}). If this vflc is older than the extension, install a newer one, or give the path of one in the setting vflc.path.`);
    assert.deepStrictEqual(said, []);
    done.length = 0;
    script('');
    LanguageClient.refuses = undefined;
    await command('vflc.restart');
    assert.strictEqual(state.status!.severity, 0);
  }
});

test('the audit of a model is a page that follows it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await command('vflc.audit');
  const [page, column] = of('show')[0] as [Document, number];
  assert.deepStrictEqual([page.uri.scheme, page.text, column], ['vflc-audit', `vflc.audit of file://${model}`, -2]);
  const changes: unknown[] = [];
  (state.providers.get('vflc-audit') as unknown as { onDidChange(f: (uri: unknown) => void): void }).onDidChange((uri) => changes.push(String(uri)));
  const { document } = window.activeTextEditor!;
  state.edited.fire({ document });
  state.edited.fire({ document });
  state.edited.fire({ document: { ...document, uri: Uri.file('/other.vfl') } });
  t.mock.timers.tick(1000);
  assert.deepStrictEqual(changes, [page.uri.toString()]);
});

test('the page of a diagnostic', async () => {
  await command('vflc.explain', 'V0302');
  assert.strictEqual((of('show')[0][0] as Document).text, 'vflc.explain of V0302');
});

test('a run has a folder of its own', async () => {
  state.settings.runArguments = ['--draws', '50 0'];
  await command('vflc.run');
  const [[task]] = of('task') as [[Task]];
  const { args, options, process } = task.execution;
  assert.match(args[3], /^runs.trial-\d{8}T\d{6}$/);
  args[3] = 'FOLDER';
  assert.deepStrictEqual([process, args, options.cwd], [program, ['run', 'trial.vfl', '-o', 'FOLDER', '--draws', '50 0'], folder]);
});

test('nothing is run in a folder that is not trusted', async () => {
  state.trusted = false;
  await command('vflc.run');
  await command('vflc.report');
  assert.deepStrictEqual([of('task'), fs.existsSync(path.join(folder, 'calls'))], [[], false]);
  assert.match(errors().join(), /not trusted.*not trusted/);
});

test('what cannot be run is said', async () => {
  window.activeTextEditor!.document.save = async () => false;
  window.activeTextEditor!.document.isDirty = true;
  await command('vflc.run');
  state.documents[0].languageId = 'markdown';
  await command('vflc.run');
  window.activeTextEditor!.document = { ...state.documents[0], languageId: 'vfl', uri: new Uri('untitled', 'Untitled-1') };
  await command('vflc.run');
  assert.deepStrictEqual(errors(), [
    'vflc: the model could not be saved',
    'vflc: open a model, a file that ends in .vfl',
    'vflc: save the model as a file: vflc reads the tables beside it',
  ]);
  assert.deepStrictEqual(of('task'), []);
});

test('the programs of parties stand side by side', async () => {
  script('mkdir -p "$6" && for p in a b c d; do echo "program of $p" > "$6/$p.vfl"; done; echo {} > "$6/manifest.json"');
  await command('vflc.split');
  assert.deepStrictEqual(
    of('show').map(([d, column]) => [(d as Document).uri.path, (d as Document).text, column]),
    ['a', 'b', 'c', 'd'].map((p, i) => [`/${p}.vfl`, `program of ${p}\n`, [2, 3, 4, 4][i]]),
  );
  assert.match(calls()[0], /: compile --split-by client .*trial\.vfl -o /);
  script('echo "error[V0302]: no" >&2; exit 1');
  await command('vflc.split');
  assert.deepStrictEqual(errors(), ['vflc: error[V0302]: no']);
});

test('the report is of the last finished run of the model', async () => {
  await command('vflc.report');
  assert.match(errors()[0], /trial has no finished run in .*runs: run it first/);
  const runs = ['trial-20261128T120000', 'trial-20261128T130000', 'trial-20261128T140000', 'trial-b-20261128T150000', 'trial-notes'];
  for (const [i, name] of runs.entries()) {
    const run = path.join(folder, 'runs', name);
    fs.mkdirSync(run, { recursive: true });
    if (i === 2) continue; // not finished
    fs.writeFileSync(path.join(run, 'summary.json'), '{}');
    fs.utimesSync(path.join(run, 'summary.json'), i, i);
  }
  script('echo "<!doctype html><html><head><title>r</title></head></html>"');
  await command('vflc.report');
  assert.match(calls()[0], /: report .*trial-20261128T130000 -o -$/);
  const [, title, options, panel] = of('panel')[0] as [string, string, { enableScripts: boolean }, { webview: { html: string } }];
  assert.deepStrictEqual([title, options.enableScripts], ['trial, report', false]);
  assert.match(panel.webview.html, /<title>r<\/title>/);
});

test('hints and lenses can be left out', async () => {
  await command('vflc.restart');
  const [[client]] = of('client') as [[LanguageClient]];
  const { middleware } = client.options as { middleware: Record<string, (...args: unknown[]) => unknown> };
  const document = state.documents[0];
  for (const [wanted, hints] of [
    [true, ['hint']],
    [false, []],
  ] as const) {
    state.settings = { path: program, hints: wanted, codeLens: wanted };
    assert.deepStrictEqual(middleware.provideInlayHints(document, 0, 0, () => ['hint']), hints);
    assert.deepStrictEqual(middleware.provideCodeLenses(document, 0, () => ['hint']), hints);
  }
  state.configured.fire({ affectsConfiguration: (name) => name === 'vflc.hints' });
  assert.deepStrictEqual(of('refresh'), [['textDocument/inlayHint'], ['textDocument/codeLens']]);
});

test('a program is found by its absolute path, in the home folder or on PATH, and nowhere else', () => {
  assert.strictEqual(find(program), program);
  assert.strictEqual(find('vflc', { PATH: ['.', 'bin', folder].join(path.delimiter) }), program);
  const here = process.cwd();
  process.chdir(folder);
  try {
    assert.strictEqual(find('./vflc'), undefined);
    assert.strictEqual(find('vflc', { PATH: ['.', '', path.join(folder, 'runs')].join(path.delimiter) }), undefined);
  } finally {
    process.chdir(here);
  }
  fs.chmodSync(program, 0o644);
  if (process.getuid?.() !== 0) assert.strictEqual(find(program), undefined);
  assert.strictEqual(find(folder), undefined);
  assert.match(missing('./vflc'), /depends on the folder that is open/);
  assert.match(missing(''), /"vflc" is not there/);
});
