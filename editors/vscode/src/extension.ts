// Puts the parts together: the log, the status, the server, the commands.
import * as vscode from 'vscode';

import {RulePages} from './rule_pages';
import {Server} from './server';
import {Status} from './status';

async function menu(): Promise<void> {
  const entries: (vscode.QuickPickItem & {command: string})[] = [
    {label: '$(debug-restart) Restart Server', command: 'torchleak.restart'},
    {label: '$(output) Show Logs', command: 'torchleak.showLogs'},
    {label: '$(book) Show Rule…', command: 'torchleak.pickRule'},
    {label: '$(gear) Open Settings', command: 'torchleak.openSettings'},
  ];
  const chosen = await vscode.window.showQuickPick(entries, {placeHolder: 'torchleak'});
  if (chosen) await vscode.commands.executeCommand(chosen.command);
}

async function fixAll(server: Server): Promise<void> {
  const notebook = vscode.window.activeNotebookEditor?.notebook.uri;
  const target = notebook ?? vscode.window.activeTextEditor?.document.uri;
  if (target) await server.fixAll(target);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('torchleak', {log: true});
  const status = new Status();
  const name = process.platform === 'win32' ? 'torchleak.exe' : 'torchleak';
  const server = new Server(log, status, context.asAbsolutePath(`bundled/${name}`));
  const pages = new RulePages(() => server.path());
  server.onShowRule = (code) => void pages.show(code);

  const commands: Record<string, () => unknown> = {
    'torchleak.restart': () => server.restart(),
    'torchleak.showLogs': () => log.show(),
    'torchleak.fixAll': () => fixAll(server),
    'torchleak.pickRule': () => pages.pick(),
    'torchleak.menu': menu,
    'torchleak.openSettings': () =>
        vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`),
  };
  context.subscriptions.push(
      log, status, server, pages,
      ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('torchleak.path')) void server.restart();
        else if (event.affectsConfiguration('torchleak')) server.settingsChanged();
      }),
      // Until now only the bundled binary could run, and some settings did not count.
      vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
  );
  await server.restart();
}
