// The extension in VS Code, as its user sees it: squiggle, Problems, hover, quick fix, saved file, status,
// pages of rules, notebook, crash, trust. Pictures of each are left in PICTURES.
//
// TORCHLEAK is the binary that the extension VSIX brings, MODULES what setup.sh installed, WORK a folder.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {Editor} from './editor.mjs';

const {TORCHLEAK: torchleak, MODULES: modules, VSIX: vsix, WORK: work, PICTURES: pictures} = process.env;
const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const SAFE_FIX = 'keep the number, not the tensor';
const FIX = `${SAFE_FIX} (unsafe)`;
const MESSAGE = (name) => `\`loss\` is kept in \`${name}\` with its autograd graph`;
const version = execFileSync(torchleak, ['version'], {encoding: 'utf8'}).trim();

function project(name, ...files) {
  const folder = join(work, name);
  mkdirSync(join(folder, '.git'), {recursive: true});
  for (const file of files) cpSync(join(fixtures, file), join(folder, file));
  return folder;
}

/** The processes of servers whose binary is in `folder`. */
function servers(folder) {
  const processes = execFileSync('ps', ['-eo', 'pid=,args='], {encoding: 'utf8'}).split('\n');
  return processes
      .filter((line) => line.includes(`${folder}/`) && line.endsWith('bundled/torchleak server'))
      .map((line) => Number(line.trim().split(' ')[0]));
}

/** kill -9 for them; at least one. */
function killServers(folder) {
  const running = servers(folder);
  assert.notEqual(running.length, 0);
  for (const number of running) process.kill(number, 'SIGKILL');
  return running;
}

/** The same, and waits for the next one: it may be there before the window has dropped a squiggle. */
async function crash(folder) {
  const gone = killServers(folder);
  for (let i = 0; !servers(folder).some((number) => !gone.includes(number)); ++i) {
    assert.ok(i < 600, 'no server is started again');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Opens a window for one test, and takes a picture when that fails. */
async function inWindow(editor, folder, name, steps) {
  const window = await editor.open(folder);
  const picture = (part) => window.page.screenshot({path: join(pictures, `${name}-${part}.png`)});
  try {
    await steps(window, picture);
  } catch (error) {
    await picture('FAILED');
    throw error;
  } finally {
    await window.page.close();
  }
}

/**
 * Until the window has shaken hands with its server: one that is killed in the middle of that has not been running, and
 * is not started again. The hover says what held when it opened, so it is opened again.
 */
async function shakenHands(window) {
  for (let i = 0;; ++i) {
    await (await window.see('#status\\.languageStatus')).hover();
    const says = await (await window.see('.hover-language-status', 'torchleak')).innerText();
    await window.page.mouse.move(500, 300);
    await window.keys('Escape');
    await window.gone('.hover-language-status');
    if (says.includes('running')) return;
    assert.ok(i < 120, `the server does not get to run: ${says}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** What the language status says of torchleak. */
async function status(window, text) {
  await (await window.see('#status\\.languageStatus')).hover();
  return window.see('.hover-language-status', text);
}

let editor;
before(async () => {
  mkdirSync(pictures, {recursive: true});
  editor = await Editor.start({modules, vsix, work: join(work, 'trusted')});
});
after(() => editor?.stop());

test('a Python file: squiggles, Problems, hover, quick fixes, the saved file', async () => {
  const folder = project('python', 'train.py');
  const file = join(folder, 'train.py');
  const before = readFileSync(file, 'utf8');
  await inWindow(editor, folder, 'python', async (window, picture) => {
    await window.openFile('train.py');
    await window.count('.squiggly-warning', 3);
    await picture('squiggles');

    for (const [line, name] of [[13, 'losses'], [14, 'history'], [15, 'history']]) {
      const text = (await (await window.problem(`[Ln ${line}, Col 9]`)).innerText()).replace(/\s+/g, ' ');
      for (const part of [MESSAGE(name), 'torchleak', 'TLK101']) assert.ok(text.includes(part), text);
    }
    await window.problem('[Ln 13, Col 9]');
    await picture('problems');
    await window.command('View: Focus Active Editor Group');

    await window.goTo(14, 9);
    await window.keys('Control+k', 'Control+i');
    const hover = await window.see('.monaco-hover:not(.hidden) .hover-contents', MESSAGE('history'));
    assert.ok((await hover.innerText()).includes('TLK101'));
    await picture('hover');
    await window.keys('Escape');

    for (const [line, left] of [[14, 2], [15, 1], [13, 0]]) {
      await window.goTo(line, 9);
      const offered = await window.quickFixes();
      for (const title of [FIX, 'Disable TLK101 for this line', 'Show the page of TLK101 accumulated-tensor']) {
        assert.ok(offered.some((text) => text.toLowerCase().includes(title.toLowerCase())), JSON.stringify(offered));
      }
      if (line === 14) await picture('quickfix');
      await window.choose(FIX);
      await window.count('.squiggly-warning', left);
    }
    await window.see('.markers-panel', 'No problems');
    await window.keys('Control+s');
    await window.gone('.tab.dirty');
    await picture('fixed');
    assert.equal(readFileSync(file, 'utf8'), before.replaceAll('append(loss)', 'append(loss.item())'));
  });
});

test('status, restart, pages of rules, a server that crashes', async () => {
  const folder = project('status', 'train.py');
  await inWindow(editor, folder, 'status', async (window, picture) => {
    await window.openFile('train.py');
    await window.count('.squiggly-warning', 3);
    const entry = await status(window, version);
    assert.match(await entry.innerText(), /running, from the extension/);
    await picture('item');
    await window.keys('Escape');

    await window.command('torchleak: Restart Server');
    await window.count('.squiggly-warning', 3);

    await window.command('torchleak: Show Rule…');
    const input = await window.see('.quick-input-widget input[type=text]');
    await input.fill('TLK101');
    await window.see('.quick-input-list .monaco-list-row.focused', 'accumulated-tensor');
    await picture('rules');
    await window.keys('Enter');
    await window.see('.tab.active', 'TLK101');
    const preview = window.page.frameLocator('iframe.webview').frameLocator('iframe');
    await preview.locator('h1', {hasText: 'accumulated-tensor'}).waitFor();
    await picture('rule');
    await window.openFile('train.py');

    for (let i = 1; i <= 4; ++i) {
      await crash(join(work, 'trusted/extensions'));
      await shakenHands(window);
      await window.count('.squiggly-warning', 3);
    }
    await status(window, version);
    await window.keys('Escape');
    killServers(join(work, 'trusted/extensions'));
    await window.see('.notification-list-item', 'has ended 5 times within three minutes and stays off');
    await status(window, 'stays off');
    await picture('crashed');
    await window.page.mouse.move(500, 300);  // off the status, whose hover lies over the message
    await window.gone('.hover-language-status');
    await (await window.see('.notification-list-item .monaco-button', 'Restart')).click();
    await window.count('.squiggly-warning', 3);
  });
});

test('safe fixes, all at once', async () => {
  const folder = project('fixall', 'stale.py');
  const file = join(folder, 'stale.py');
  const before = readFileSync(file, 'utf8');
  await inWindow(editor, folder, 'fixall', async (window) => {
    await window.openFile('stale.py');
    await window.see('.squiggly-warning');
    await window.command('torchleak: Fix All Auto-fixable Problems');
    await window.gone('.squiggly-warning');
    await window.keys('Control+s');
    await window.gone('.tab.dirty');
    assert.equal(readFileSync(file, 'utf8'), before.replace('  # noqa: TLK101', ''));
  });
});

test('a notebook: the finding in its cell, and the saved file', async () => {
  const folder = project('notebook', 'eda.ipynb');
  const file = join(folder, 'eda.ipynb');
  const before = readFileSync(file, 'utf8');
  await inWindow(editor, folder, 'notebook', async (window, picture) => {
    await window.openFile('eda.ipynb');
    await window.see('.notebook-editor .squiggly-warning');
    const row = await window.problem('[Ln 7, Col 5]');
    assert.ok((await row.innerText()).includes(MESSAGE('history')));
    await picture('problems');
    await row.dblclick();
    await window.see('.notebook-editor .monaco-editor.focused');
    await window.quickFixes();
    await picture('quickfix');
    await window.choose(SAFE_FIX);
    await window.gone('.notebook-editor .squiggly-warning');
    await window.keys('Control+s');
    await window.gone('.tab.dirty');
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')),
                     JSON.parse(before.replace('append(loss)', 'append(loss.item())')));
  });
});

test('a notebook whose first cell is Markdown: safe fixes on save', async () => {
  const folder = project('onsave', 'eda.ipynb');
  const file = join(folder, 'eda.ipynb');
  const before = readFileSync(file, 'utf8').replace('.append(loss)', '.append(loss.item())');
  const unused = before.replace('.append(loss.item())', '.append(loss.item())  # noqa: TLK101');
  writeFileSync(file, unused);
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'),
                JSON.stringify({'notebook.codeActionsOnSave': {'notebook.source.fixAll.torchleak': 'explicit'}}));
  await inWindow(editor, folder, 'onsave', async (window) => {
    await window.openFile('eda.ipynb');
    await window.see('.notebook-editor .squiggly-warning');
    await (await window.problem('TLK001')).dblclick();
    await window.see('.notebook-editor .monaco-editor.focused');
    await window.keys('Home', 'Enter');
    // The server has seen the edit: an answer to the text before it would not fit any more.
    await window.problem('[Ln 8');
    await window.keys('Control+s');
    await window.gone('.tab.dirty');
    const rows = (text) => JSON.parse(text).cells[2].source.join('').split('\n').filter((row) => row.trim());
    assert.deepEqual(rows(readFileSync(file, 'utf8')), rows(before));
    await window.see('.markers-panel', 'No problems');
  });
});

test('an untrusted workspace cannot choose what is run', async () => {
  const folder = project('untrusted', 'train.py');
  const ran = join(work, 'ran');
  const foreign = join(folder, 'foreign');
  writeFileSync(foreign, `#!/bin/sh\ntouch '${ran}'\n`);
  chmodSync(foreign, 0o755);
  mkdirSync(join(folder, '.vscode'));
  const settings = {'torchleak.path': foreign, 'torchleak.configuration': join(folder, 'missing.toml')};
  writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
  const careful = await Editor.start({modules, vsix, work: join(work, 'careful'), trusted: false});
  try {
    await inWindow(careful, folder, 'untrusted', async (window, picture) => {
      await window.openFile('train.py');
      await window.count('.squiggly-warning', 3);
      await status(window, version);
      await picture('status');
      assert.ok(!existsSync(ran));
    });
  } finally {
    await careful.stop();
  }
});

/** A project whose settings name this as the binary, opened; `said` is in the message that is seen. */
async function withBinary(name, script, mode, said) {
  const folder = project(name, 'train.py');
  const binary = join(folder, 'other-torchleak');
  writeFileSync(binary, `#!/bin/sh\n${script}\n`);
  chmodSync(binary, mode);
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify({'torchleak.path': binary}));
  await inWindow(editor, folder, name, async (window, picture) => {
    await window.openFile('train.py');
    await window.see('.notification-list-item', said);
    await picture('message');
    assert.equal(await window.page.locator('.notification-list-item').count(), 1, 'one message is enough');
    for (const button of ['Restart', 'Show Logs', 'Open Settings']) {
      await window.see('.notification-list-item .monaco-button', button);
    }
    await status(window, said);
    await window.page.mouse.move(500, 300);  // off the status: Escape would hide the message as well
    await window.gone('.hover-language-status');

    // Said again, it takes the place of the one that is open.
    await window.page.locator('.notification-toast-container').evaluate((toast) => { toast.dataset.earlier = 'yes'; });
    await window.command('torchleak: Restart Server');
    await window.see('.notification-toast-container:not([data-earlier])', said);
    await window.count('.notification-toast-container', 1);
  });
}

test('a binary that cannot be run is said, with the way out', () =>
    withBinary('not-executable', 'exit 0', 0o644, /torchleak\.path names .* is not executable\. Correct it/));

test('a binary that is too old is said, with the way out', () =>
    withBinary('old', 'echo torchleak 0.0.1', 0o755, /is torchleak 0\.0\.1; this extension needs .* Update it/));

test('a server that does not start is said, with the way out', () => {
  const script = 'if [ "$1" = version ]; then echo torchleak 9.9.9; else echo "no memory" >&2; exit 3; fi';
  return withBinary('dies', script, 0o755, /server did not start\. The logs may say why/);
});
