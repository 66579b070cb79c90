// The entry of torchleak in the language status ({} in the status bar): what runs, or what is wrong.
import * as vscode from 'vscode';

import type {Found} from './binary';
import {PYTHON} from './documents';

export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem('torchleak.status', PYTHON);

  constructor() {
    this.item.name = 'torchleak';
    this.item.command = {title: 'Menu', command: 'torchleak.menu'};
    this.starting();
  }

  starting(): void {
    this.show('torchleak', 'starting', vscode.LanguageStatusSeverity.Information);
    this.item.busy = true;
  }

  running(version: string, from: Found['from']): void {
    const source = {setting: 'torchleak.path', bundled: 'the extension', PATH: 'PATH'}[from];
    this.show(`torchleak ${version}`, `running, from ${source}`, vscode.LanguageStatusSeverity.Information);
  }

  /** Keeps the reason of a failure on show. */
  stopped(): void {
    if (this.item.severity === vscode.LanguageStatusSeverity.Error) return;
    this.show('torchleak', 'stopped', vscode.LanguageStatusSeverity.Warning);
  }

  failed(why: string): void {
    this.show('torchleak', why, vscode.LanguageStatusSeverity.Error);
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(text: string, detail: string, severity: vscode.LanguageStatusSeverity): void {
    this.item.text = text;
    this.item.detail = detail;
    this.item.severity = severity;
    this.item.busy = false;
  }
}
