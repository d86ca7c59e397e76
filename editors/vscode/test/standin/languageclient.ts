// Stands in for the client of the language server: it records how it was made, and answers commands.
import { note } from './vscode';

export enum TransportKind {
  stdio = 0,
}

export class LanguageClient {
  static refuses: string | undefined; // why the next server does not start
  private running = false;
  readonly initializeResult = { serverInfo: { name: 'vflc', version: 'vflc v1.2.3 go1.26 linux/amd64' } };

  constructor(
    _id: string,
    _name: string,
    readonly server: unknown,
    readonly options: unknown,
  ) {
    note('client', this);
  }

  async start(): Promise<void> {
    if (LanguageClient.refuses) throw new Error(LanguageClient.refuses);
    this.running = true;
    note('start');
  }

  isRunning(): boolean {
    return this.running;
  }

  async dispose(): Promise<void> {
    if (!this.running) throw new Error('a client that does not run cannot stop');
    this.running = false;
    note('stop');
  }

  async sendRequest(method: string, params: { command: string; arguments: string[] }): Promise<string> {
    note('request', method, params);
    return `${params.command} of ${params.arguments.join()}`;
  }

  getFeature(name: string) {
    const emitter = { fire: () => note('refresh', name) };
    return { getProvider: () => ({ onDidChangeInlayHints: emitter, onDidChangeCodeLensEmitter: emitter }) };
  }
}
