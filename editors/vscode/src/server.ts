// The language server's process: found, started, watched, started again. One at a time.
import * as vscode from 'vscode';
import {
  type CloseHandlerResult,
  DidChangeConfigurationNotification,
  type ErrorHandler,
  CloseAction,
  LanguageClient,
  type LanguageClientOptions,
  State,
} from 'vscode-languageclient/node';

import {type Found, findBinary, probe} from './binary';
import {ASKED} from './documents';
import {absolutePath, type Place, serverSettings, type Settings} from './settings';
import type {Status} from './status';

/** How often it is started again by itself within three minutes. */
const RESTARTS = 4;

function place(): Place {
  return {workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath, environment: process.env};
}

function settings(): Settings {
  const section = vscode.workspace.getConfiguration('torchleak');
  return serverSettings((name) => section.get(name), place());
}

/** Errors go to the log. What the user has to know, `Server.fail` says: one message with the ways out. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Server implements vscode.Disposable {
  /** Shows the page of a rule; the server asks for it by its command `torchleak.showRule`. */
  onShowRule: (code: string) => void = () => {};

  private client: LanguageClient | undefined;
  private binary: (Found & {version: string}) | undefined;
  /** Starts and stops happen one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
      private readonly log: vscode.LogOutputChannel,
      private readonly status: Status,
      private readonly bundled: string,
  ) {}

  /** The binary in use; none when none was found that runs. Waits for a start that is under way. */
  async path(): Promise<string | undefined> {
    await this.queue;
    return this.binary?.path;
  }

  restart(): Promise<void> {
    this.queue = this.queue.then(() => this.stop()).then(() => this.start()).catch((error) => this.fail(String(error)));
    return this.queue;
  }

  /** Makes all fixes that are safe, in one file or notebook. */
  async fixAll(uri: vscode.Uri): Promise<void> {
    await this.queue;
    if (!this.client?.isRunning()) return this.fail('The torchleak server is not running.');
    await this.client.sendRequest(
        'workspace/executeCommand', {command: 'torchleak.applyFixAll', arguments: [uri.toString()]});
  }

  settingsChanged(): void {
    void this.client?.sendNotification(
        DidChangeConfigurationNotification.type, {settings: {torchleak: settings()}});
  }

  dispose(): Promise<void> {
    this.queue = this.queue.then(() => this.stop());
    return this.queue;
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // One that has died, or has never started, cannot be asked to stop.
    await client?.dispose().catch((error) => this.log.debug(`stop: ${error}`));
  }

  private async start(): Promise<void> {
    this.status.starting();
    this.binary = undefined;
    const setting = vscode.workspace.getConfiguration('torchleak').get<string>('path');
    const found = findBinary({
      setting: absolutePath(setting, place()),
      bundled: this.bundled,
      trusted: vscode.workspace.isTrusted,
      path: process.env.PATH ?? '',
      platform: process.platform,
    });
    if ('problem' in found) return this.fail(found.problem);
    const probed = await probe(found.path);
    if ('problem' in probed) return this.fail(probed.problem);
    this.binary = {...found, ...probed};
    this.log.info(`torchleak ${probed.version}: ${found.path}`);
    this.client = this.createClient(found.path);
    await this.client.start().catch((error) => {
      // The reason is the client's, another one from time to time; the same message replaces itself.
      this.log.error(error instanceof Error ? error.message : String(error));
      this.fail('The torchleak server did not start. The logs may say why.');
    });
  }

  private createClient(command: string): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: ASKED,
      outputChannel: this.log,
      // VS Code shows the message and the steps of a finding in a hover of its own: no need to say them twice.
      initializationOptions: {settings: settings(), hover: 'brief'},
      initializationFailedHandler: () => false,
      middleware: {
        executeCommand: (name, args, next) =>
            name === 'torchleak.showRule' ? this.onShowRule(String(args[0])) : next(name, args),
        workspace: {
          // Paths with variables in them are of no use to the server.
          configuration: async (params, token, next) => {
            const answer = await next(params, token);
            if (!Array.isArray(answer)) return answer;
            return answer.map((value, i) => params.items[i]?.section === 'torchleak' ? settings() : value);
          },
        },
      },
    };
    const client = new Client('torchleak', 'torchleak', {command, args: ['server']}, options);
    let everRan = false;
    client.clientOptions.errorHandler = this.errorHandler(client.createDefaultErrorHandler(RESTARTS), () => everRan);
    client.onDidChangeState(({newState}) => {
      everRan ||= newState === State.Running;
      if (client !== this.client) return;  // an earlier one that ends
      if (newState === State.Running) this.status.running(this.binary!.version, this.binary!.from);
      if (newState === State.Starting) this.status.starting();
      if (newState === State.Stopped) this.status.stopped();
    });
    return client;
  }

  /** The usual policy, with a message of our own when it gives up. Who never ran is not tried again. */
  private errorHandler(usual: ErrorHandler, everRan: () => boolean): ErrorHandler {
    return {
      error: async (...args) => ({...await usual.error(...args), handled: true}),
      closed: async (): Promise<CloseHandlerResult> => {
        if (!everRan()) return {action: CloseAction.DoNotRestart, handled: true};  // `start` says it
        const {action} = await usual.closed();
        if (action === CloseAction.Restart) {
          this.log.warn('The server ended unexpectedly; it is started again.');
        } else {
          this.fail(`The torchleak server has ended ${RESTARTS + 1} times within three minutes and stays off.`);
        }
        return {action, handled: true};
      },
    };
  }

  /**
   * Says it where it is seen, with the ways out. Does not wait for the answer. VS Code lets an equal message take the
   * place of one that is open, or was hidden by Escape: so one that was said before is not held back here.
   */
  private fail(message: string): void {
    this.log.error(message);
    this.status.failed(message);
    const ways: Record<string, string> = {
      'Restart': 'torchleak.restart',
      'Show Logs': 'torchleak.showLogs',
      'Open Settings': 'torchleak.openSettings',
    };
    void vscode.window.showErrorMessage(message, ...Object.keys(ways)).then((chosen) => {
      if (chosen) void vscode.commands.executeCommand(ways[chosen]!);
    });
  }
}
