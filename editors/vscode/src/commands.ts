import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { message, programScheme, show } from './pages';

/** A Problem is told to the user as it is. */
class Problem extends Error {}

/** attempt tells the user what went wrong. */
export function attempt<A extends unknown[]>(command: (...args: A) => Promise<unknown>): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      await command(...args);
    } catch (error) {
      void vscode.window.showErrorMessage(`vflc: ${message(error)}`);
    }
  };
}

/** model is the model that a command is about: that of its argument, or the one in the active editor. */
export async function model(uri?: vscode.Uri | string): Promise<vscode.TextDocument> {
  const of = typeof uri === 'string' ? vscode.Uri.parse(uri) : uri;
  const document = of ? await vscode.workspace.openTextDocument(of) : vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'vfl') throw new Problem('open a model, a file that ends in .vfl');
  return document;
}

/** saved is the model as a file that vflc can read. */
async function saved(uri?: vscode.Uri): Promise<vscode.Uri> {
  const document = await model(uri);
  if (document.uri.scheme !== 'file') throw new Problem('save the model as a file: vflc reads the tables beside it');
  if (document.isDirty && !(await document.save())) throw new Problem('the model could not be saved');
  return document.uri;
}

/** output runs vflc to its end, and gives what it prints. What it says on failure is the error. */
export function output(program: string, args: string[], cwd: string): Promise<string> {
  return new Promise((done, failed) => {
    execFile(program, args, { cwd, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error) failed(new Problem(stderr.trim() || message(error)));
      else done(stdout);
    });
  });
}

/** run fits a model in a terminal, and keeps the run in a folder of its own, whose name has the time. */
export async function run(program: string, uri?: vscode.Uri): Promise<void> {
  const at = await saved(uri);
  const settings = vscode.workspace.getConfiguration('vflc', at);
  const name = path.basename(at.fsPath);
  const time = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '');
  const folder = path.join(settings.get('runs', 'runs'), `${path.basename(name, '.vfl')}-${time}`);
  const args = ['run', name, '-o', folder, ...settings.get<string[]>('runArguments', [])];
  const task = new vscode.Task(
    { type: 'vflc', model: name },
    vscode.TaskScope.Workspace,
    `run ${name}`,
    'vflc',
    new vscode.ProcessExecution(program, args, { cwd: path.dirname(at.fsPath) }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Shared, clear: false };
  await vscode.tasks.executeTask(task);
}

/** Programs are the programs of parties, as documents that can be read alone: vflc-program:/hospital_a.vfl?FOLDER. */
export const programs: vscode.TextDocumentContentProvider = {
  provideTextDocumentContent: (uri) => fs.readFile(path.join(uri.query, path.posix.basename(uri.path)), 'utf8'),
};

const mostColumns = 3; // of programs side by side; further ones lie behind the last

/** split compiles a model and shows the program of each party beside it. */
export async function split(program: string, folders: Set<string>, uri?: vscode.Uri): Promise<void> {
  const at = await saved(uri);
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'vflc-'));
  folders.add(folder);
  await output(program, ['compile', '--split-by', 'client', at.fsPath, '-o', path.join(folder, 'build')], path.dirname(at.fsPath));
  const build = path.join(folder, 'build');
  const names = (await fs.readdir(build)).filter((name) => name.endsWith('.vfl')).sort();
  if (names.length === 0) throw new Problem('this model has no client, and so no programs of parties');
  const first = (vscode.window.activeTextEditor?.viewColumn ?? vscode.ViewColumn.One) + 1;
  for (const [i, name] of names.entries()) {
    const page = vscode.Uri.from({ scheme: programScheme, path: `/${name}`, query: build });
    await show(page, first + Math.min(i, mostColumns - 1), true);
  }
}

/** report shows the report of the last run of a model. */
export async function report(program: string, uri?: vscode.Uri): Promise<void> {
  const at = await saved(uri);
  const runs = path.resolve(path.dirname(at.fsPath), vscode.workspace.getConfiguration('vflc', at).get('runs', 'runs'));
  const name = path.basename(at.fsPath, '.vfl');
  const folder = await lastRun(runs, name);
  if (!folder) throw new Problem(`${name} has no finished run in ${runs}: run it first (Run the Model)`);
  const html = await output(program, ['report', folder, '-o', '-'], path.dirname(at.fsPath));
  const panel = vscode.window.createWebviewPanel('vflc.report', `${name}, report`, vscode.ViewColumn.Active, {
    enableScripts: false,
    enableFindWidget: true,
    localResourceRoots: [],
  });
  panel.webview.html = html; // whose own policy forbids everything but its style and its pictures
}

/** lastRun is the folder of the last finished run of a model, if there is one. */
export async function lastRun(runs: string, name: string): Promise<string | undefined> {
  const found: { folder: string; time: number }[] = [];
  for (const entry of await fs.readdir(runs).catch(() => [])) {
    if (!entry.startsWith(`${name}-`) || !/^\d{8}T\d{6}$/.test(entry.slice(name.length + 1))) continue;
    const folder = path.join(runs, entry);
    const record = await fs.stat(path.join(folder, 'summary.json')).catch(() => undefined);
    if (record) found.push({ folder, time: record.mtimeMs });
  }
  return found.sort((a, b) => b.time - a.time)[0]?.folder;
}
