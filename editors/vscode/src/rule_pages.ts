// Pages of rules, as the running binary prints them: no network is asked.
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';

import * as vscode from 'vscode';

const SCHEME = 'torchleak-rule';
const run = promisify(execFile);

interface Rule {
  code: string;
  name: string;
  summary: string;
}

export class RulePages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  /** `binary` returns the torchleak in use. */
  constructor(private readonly binary: () => Promise<string | undefined>) {}

  /** `torchleak-rule:TLK101.md` */
  provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return this.ask(uri.path.replace(/\.md$/, ''), '--output-format', 'markdown');
  }

  async show(code: string): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.from({scheme: SCHEME, path: `${code}.md`}));
  }

  async pick(): Promise<void> {
    const rules: Rule[] = JSON.parse(await this.ask('--all', '--output-format', 'json'));
    const items = rules.map(({code, name, summary}) => ({label: code, description: name, detail: summary}));
    const options = {placeHolder: 'Rule', matchOnDescription: true, matchOnDetail: true};
    const chosen = await vscode.window.showQuickPick(items, options);
    if (chosen) await this.show(chosen.label);
  }

  dispose(): void {
    this.registration.dispose();
  }

  private async ask(...args: string[]): Promise<string> {
    const binary = await this.binary();
    if (!binary) throw new Error('torchleak is not running; "torchleak: Restart Server" says why');
    return (await run(binary, ['rule', ...args], {windowsHide: true, maxBuffer: 1 << 24})).stdout;
  }
}
