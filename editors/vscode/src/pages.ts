import * as path from 'node:path';
import * as vscode from 'vscode';

/** The schemes of documents that can be read alone. */
export const auditScheme = 'vflc-audit';
export const explainScheme = 'vflc-explain';
export const programScheme = 'vflc-program';

/** A Source asks the language server for the text of a command. */
export type Source = (command: string, argument: string) => Promise<string>;

const pause = 400; // milliseconds after a change until an audit is made anew

/** AuditPages are the audits of models, which change with them. */
export class AuditPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly ask: Source) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    try {
      return await this.ask('vflc.audit', uri.query);
    } catch (error) {
      return `${message(error)}\n`;
    }
  }

  /** edited renews the audit of a model, where it is shown. */
  edited(model: vscode.Uri): void {
    const page = auditOf(model);
    const key = page.toString();
    if (!vscode.workspace.textDocuments.some((d) => d.uri.toString() === key)) return;
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => {
        this.timers.delete(key);
        this.changed.fire(page);
      }, pause),
    );
  }

  dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.changed.dispose();
  }
}

/** auditOf is the address of a model's audit. */
export function auditOf(model: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: auditScheme, path: `/${path.posix.basename(model.path, '.vfl')}, audit`, query: model.toString() });
}

/** explainPages are the pages of diagnostics: vflc-explain:V0302.md. */
export function explainPages(ask: Source): vscode.TextDocumentContentProvider {
  return {
    provideTextDocumentContent: async (uri) => {
      try {
        return await ask('vflc.explain', path.posix.basename(uri.path, '.md'));
      } catch (error) {
        return `${message(error)}\n`;
      }
    },
  };
}

/** show opens a page in a column. */
export async function show(uri: vscode.Uri, column: vscode.ViewColumn, preserveFocus: boolean): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { viewColumn: column, preserveFocus, preview: false });
}

/** message is the text of an error. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
