// Stands in for the editor: the parts of its interface that the extension uses, and a record of what the extension did with them.
import fs from 'node:fs';
import { EventEmitter as Emitter } from 'node:events';

export const done: { what: string; with: unknown[] }[] = [];
export const note = (what: string, ...values: unknown[]): void => void done.push({ what, with: values });
/** of lists what was done of one kind. */
export const of = (what: string): unknown[][] => done.filter((d) => d.what === what).map((d) => d.with);

export class EventEmitter<T> {
  private readonly emitter = new Emitter();
  readonly event = (listener: (value: T) => unknown) => {
    this.emitter.on('event', listener);
    return { dispose: () => this.emitter.off('event', listener) };
  };
  fire(value: T): void {
    this.emitter.emit('event', value);
  }
  dispose(): void {
    this.emitter.removeAllListeners();
  }
}

export class Uri {
  constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query = '',
  ) {}
  static from = (parts: { scheme: string; path: string; query?: string }) => new Uri(parts.scheme, parts.path, parts.query);
  static file = (path: string) => new Uri('file', path);
  static parse(text: string): Uri {
    const url = new URL(text);
    return new Uri(url.protocol.slice(0, -1), decodeURIComponent(url.pathname), decodeURIComponent(url.search.slice(1)));
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    const slashes = this.scheme === 'file' ? '//' : '';
    return `${this.scheme}:${slashes}${encodeURI(this.path)}${this.query && `?${encodeURIComponent(this.query)}`}`;
  }
}

export interface Document {
  uri: Uri;
  languageId: string;
  isDirty: boolean;
  text: string;
  save(): Promise<boolean>;
}

export const state = {
  settings: {} as Record<string, unknown>,
  trusted: true,
  answer: undefined as string | undefined, // the button of the next message
  commands: new Map<string, (...args: unknown[]) => unknown>(),
  providers: new Map<string, { provideTextDocumentContent(uri: Uri): Promise<string> }>(),
  documents: [] as Document[],
  status: undefined as Record<string, unknown> | undefined,
  configured: new EventEmitter<{ affectsConfiguration(name: string): boolean }>(),
  edited: new EventEmitter<{ document: Document }>(),
  granted: new EventEmitter<void>(),
};

const disposable = { dispose: () => undefined };

export const workspace = {
  get isTrusted() {
    return state.trusted;
  },
  get textDocuments() {
    return state.documents;
  },
  getConfiguration: () => ({ get: (name: string, otherwise: unknown) => state.settings[name] ?? otherwise }),
  registerTextDocumentContentProvider(scheme: string, provider: never) {
    state.providers.set(scheme, provider);
    return disposable;
  },
  async openTextDocument(uri: Uri): Promise<Document> {
    const open = state.documents.find((d) => d.uri.toString() === uri.toString());
    if (open) return open;
    const text = uri.scheme === 'file' ? fs.readFileSync(uri.path, 'utf8') : await state.providers.get(uri.scheme)!.provideTextDocumentContent(uri);
    const languageId = uri.path.endsWith('.vfl') ? 'vfl' : 'plaintext';
    const document = { uri, languageId, isDirty: false, text, save: async () => true };
    state.documents.push(document);
    return document;
  },
  createFileSystemWatcher: (pattern: string) => ({ ...disposable, pattern }),
  onDidChangeConfiguration: state.configured.event,
  onDidChangeTextDocument: state.edited.event,
  onDidGrantWorkspaceTrust: state.granted.event,
};

export const window = {
  activeTextEditor: undefined as { document: Document; viewColumn: number } | undefined,
  async showErrorMessage(text: string): Promise<string | undefined> {
    note('error', text);
    const { answer } = state;
    state.answer = undefined;
    return answer;
  },
  async showTextDocument(document: Document, options: { viewColumn: number }): Promise<void> {
    note('show', document, options.viewColumn);
  },
  createWebviewPanel(type: string, title: string, _column: number, options: unknown) {
    const panel = { webview: { html: '' } };
    note('panel', type, title, options, panel);
    return panel;
  },
};

export const commands = {
  registerCommand(name: string, does: never) {
    state.commands.set(name, does);
    return disposable;
  },
  async executeCommand(name: string, ...args: unknown[]): Promise<unknown> {
    note('command', name, ...args);
    return state.commands.get(name)?.(...args);
  },
};

export const languages = {
  createLanguageStatusItem: () => (state.status = { ...disposable }),
};

export class Task {
  presentationOptions = {};
  constructor(
    readonly definition: unknown,
    readonly scope: unknown,
    readonly name: string,
    readonly source: string,
    readonly execution: ProcessExecution,
  ) {}
}

export class ProcessExecution {
  constructor(
    readonly process: string,
    readonly args: string[],
    readonly options: { cwd: string },
  ) {}
}

export const tasks = { executeTask: async (task: Task) => note('task', task) };

export enum ViewColumn {
  Active = -1,
  Beside = -2,
  One = 1,
}
export enum TaskScope {
  Global = 1,
  Workspace = 2,
}
export enum TaskRevealKind {
  Always = 1,
}
export enum TaskPanelKind {
  Shared = 1,
}
export enum LanguageStatusSeverity {
  Information = 0,
  Warning = 1,
  Error = 2,
}
