// The extension starts `vflc lsp` and shows what it answers, and has the commands that an editor alone can carry out.

import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions, type ServerOptions, TransportKind } from 'vscode-languageclient/node';
import { find, missing } from './binary';
import { attempt, model, output, programs, report, run, split } from './commands';
import { AuditPages, auditOf, auditScheme, explainPages, explainScheme, message, programScheme, show } from './pages';

let client: LanguageClient | undefined;
let starting: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = vscode.languages.createLanguageStatusItem('vflc', { language: 'vfl' });
  status.name = 'vflc';
  const folders = new Set<string>(); // of programs of parties, until the editor closes
  const ask = async (command: string, argument: string): Promise<string> => {
    if (!client?.isRunning()) throw new Error('vflc lsp is not running');
    return client.sendRequest('workspace/executeCommand', { command, arguments: [argument] });
  };
  const audits = new AuditPages(ask);
  const command = (name: string, does: (uri?: vscode.Uri) => Promise<unknown>) =>
    vscode.commands.registerCommand(name, attempt(does));
  const trusted = (does: (program: string, uri?: vscode.Uri) => Promise<unknown>) => (uri?: vscode.Uri) => {
    if (!vscode.workspace.isTrusted) throw new Error('this folder is not trusted, and nothing is run in it: trust it first');
    return does(program(), uri);
  };
  context.subscriptions.push(
    status,
    audits,
    vscode.workspace.registerTextDocumentContentProvider(auditScheme, audits),
    vscode.workspace.registerTextDocumentContentProvider(explainScheme, explainPages(ask)),
    vscode.workspace.registerTextDocumentContentProvider(programScheme, programs),
    vscode.workspace.onDidChangeTextDocument(({ document }) => audits.edited(document.uri)),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('vflc.path')) await start(status);
      else if (change.affectsConfiguration('vflc.hints') || change.affectsConfiguration('vflc.codeLens')) refresh();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => start(status)),
    command('vflc.audit', async (uri) => show(auditOf((await model(uri)).uri), vscode.ViewColumn.Beside, true)),
    command('vflc.explain', async (code) => show(vscode.Uri.from({ scheme: explainScheme, path: `${code}.md` }), vscode.ViewColumn.Beside, true)),
    command('vflc.run', trusted(run)),
    command('vflc.split', (uri) => split(program(), folders, uri)),
    command('vflc.report', trusted(report)),
    command('vflc.restart', () => start(status)),
    { dispose: () => void Promise.all([...folders].map((folder) => fs.rm(folder, { recursive: true, force: true }))) },
  );
  await start(status);
}

export async function deactivate(): Promise<void> {
  await starting;
  await stop();
}

/** named is the program as the settings name it. In a folder that is not trusted the editor leaves out what its own settings say. */
function named(): string {
  return vscode.workspace.getConfiguration('vflc').get('path', 'vflc');
}

function program(): string {
  const found = find(named());
  if (!found) throw new Error(missing(named()));
  return found;
}

async function stop(): Promise<void> {
  const last = client;
  client = undefined;
  await last?.dispose().catch(() => undefined); // it may never have started
}

/** start starts the server anew, after what is under way. */
function start(status: vscode.LanguageStatusItem): Promise<void> {
  starting = starting.then(() => startNow(status));
  return starting;
}

/** startNow says in the status what runs, or why nothing does. */
async function startNow(status: vscode.LanguageStatusItem): Promise<void> {
  await stop();
  status.busy = true;
  let command: string | undefined;
  try {
    command = program();
    await output(command, ['lsp', '--help'], os.tmpdir()); // of a program that knows no lsp the client says less
    const server: ServerOptions = { command, args: ['lsp'], transport: TransportKind.stdio };
    client = new LanguageClient('vflc', 'vflc', server, options());
    await client.start();
    const version = client.initializeResult?.serverInfo?.version?.replace(/^vflc /, '') ?? '';
    status.text = `vflc ${version.split(' ')[0]}`;
    status.detail = `${version}, ${command}`;
    status.severity = vscode.LanguageStatusSeverity.Information;
    status.command = { title: 'Restart', command: 'vflc.restart' };
  } catch (error) {
    await stop();
    const why = command ? older(command, message(error).split('\n')[0]) : message(error);
    status.text = 'vflc does not run';
    status.detail = why;
    status.severity = vscode.LanguageStatusSeverity.Error;
    status.command = { title: 'Set the path', command: 'workbench.action.openSettings', arguments: ['vflc.path'] };
    void tell(why);
  } finally {
    status.busy = false;
  }
}

/** older says what to do about a program that is there, and does not start as a language server. */
function older(command: string, why: string): string {
  return `"${command} lsp" does not start (${why}). If this vflc is older than the extension, install a newer one, or give the path of one in the setting vflc.path.`;
}

/** tell says why the server does not run, with the way out. */
async function tell(why: string): Promise<void> {
  const settings = 'Open the setting';
  const again = 'Try again';
  const chosen = await vscode.window.showErrorMessage(`vflc: ${why}`, settings, again);
  if (chosen === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'vflc.path');
  if (chosen === again) await vscode.commands.executeCommand('vflc.restart');
}

/** options of the client. Hints and lenses are left out where the settings say so. */
function options(): LanguageClientOptions {
  const wanted = (setting: string, of: vscode.TextDocument) =>
    vscode.workspace.getConfiguration('vflc', of.uri).get(setting, true);
  return {
    documentSelector: [
      { scheme: 'file', language: 'vfl' },
      { scheme: 'untitled', language: 'vfl' },
    ],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/{*.vfl,vfl.toml}') },
    initializationOptions: { commands: ['vflc.audit', 'vflc.explain'] },
    middleware: {
      provideInlayHints: (document, range, token, next) => (wanted('hints', document) ? next(document, range, token) : []),
      provideCodeLenses: (document, token, next) => (wanted('codeLens', document) ? next(document, token) : []),
    },
  };
}

/** refresh has the editor ask again for hints and lenses. */
function refresh(): void {
  for (const document of vscode.workspace.textDocuments) {
    client?.getFeature('textDocument/inlayHint').getProvider(document)?.onDidChangeInlayHints.fire();
    client?.getFeature('textDocument/codeLens').getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }
}
