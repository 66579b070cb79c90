// A client of the language server made of Microsoft's own protocol library, without an editor.
//
//   const client = await start({folder, encodings: ['utf-8']});
//   client.open(uri, text);
//   const [finding] = await client.diagnostics(uri, (list) => list.length === 1);
//   await client.stop();   // shutdown and exit; the exit status
//
// TORCHLEAK names the binary, MODULES the folder that has node_modules.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {pathToFileURL} from 'node:url';

const require = createRequire(join(process.env.MODULES, 'package.json'));
const protocol = require('vscode-languageserver-protocol/node');
export const {TextDocument} = require('vscode-languageserver-textdocument');

export const torchleak = process.env.TORCHLEAK;

/** For what must happen, however slow the machine is; nothing is measured by it. */
const PATIENCE = 60_000;

/** A folder of a project, removed when the test ends: `files` are texts by path. */
export function project(t, files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'torchleak-'));
  t.after(() => rmSync(folder, {recursive: true, force: true}));
  mkdirSync(join(folder, '.git'));
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), {recursive: true});
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {folder, write, uri: (path) => pathToFileURL(join(folder, path)).href};
}

export function within(promise, what, patience = PATIENCE) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still waiting: ${what()}`)), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export function spawnServer(options = {}) {
  const child = spawn(torchleak, ['server'], {stdio: ['pipe', 'pipe', 'inherit'], ...options});
  const exit = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ?? code));
  });
  return {child, exit: () => within(exit, () => 'the end of the server')};
}

function capabilities({encodings, pull}) {
  return {
    general: encodings ? {positionEncodings: encodings} : {},
    workspace: {applyEdit: true, workspaceEdit: {documentChanges: false}, configuration: false},
    notebookDocument: {synchronization: {dynamicRegistration: false}},
    textDocument: {
      ...(pull ? {diagnostic: {dynamicRegistration: false}} : {}),
      hover: {contentFormat: ['markdown', 'plaintext']},
      publishDiagnostics: {
        relatedInformation: true, versionSupport: true, codeDescriptionSupport: true, dataSupport: true,
        tagSupport: {valueSet: [1, 2]},
      },
      codeAction: {
        codeActionLiteralSupport: {codeActionKind: {valueSet: ['', 'quickfix', 'source', 'source.fixAll']}},
        isPreferredSupport: true, dataSupport: true,
      },
    },
  };
}

class Client {
  constructor(server) {
    this.server = server;
    this.latest = new Map();  // uri → the diagnostics published last
    this.waiting = new Set();
    this.edits = [];          // what the server asked to apply
    const {child} = server;
    this.connection = protocol.createProtocolConnection(
        new protocol.StreamMessageReader(child.stdout), new protocol.StreamMessageWriter(child.stdin));
    this.connection.onNotification('textDocument/publishDiagnostics', (params) => {
      this.latest.set(params.uri, params);
      for (const look of [...this.waiting]) look();
    });
    this.connection.onRequest('workspace/applyEdit', ({edit}) => {
      this.edits.push(edit);
      return {applied: true};
    });
    for (const method of ['client/registerCapability', 'window/workDoneProgress/create']) {
      this.connection.onRequest(method, () => null);
    }
    this.connection.listen();
  }

  request(method, params) {
    return within(this.connection.sendRequest(method, params), () => `the answer to ${method}`);
  }

  notify(method, params) {
    return this.connection.sendNotification(method, params);
  }

  async initialize({folder, settings, processId = process.pid, ...rest}) {
    const rootUri = folder ? pathToFileURL(folder).href : null;
    const answer = await this.request('initialize', {
      processId, rootUri, capabilities: capabilities(rest),
      workspaceFolders: rootUri ? [{uri: rootUri, name: 'project'}] : null,
      initializationOptions: settings ? {settings} : undefined,
    });
    this.capabilities = answer.capabilities;
    this.serverInfo = answer.serverInfo;
    await this.notify('initialized', {});
  }

  open(uri, text, version = 1) {
    return this.notify('textDocument/didOpen', {textDocument: {uri, languageId: 'python', version, text}});
  }

  /** The whole text anew, whatever the server prefers: that is always allowed. */
  change(uri, version, text) {
    return this.notify('textDocument/didChange', {textDocument: {uri, version}, contentChanges: [{text}]});
  }

  /** Waits until what is published for `uri` (of `version`, if it says so) is as wanted. */
  diagnostics(uri, wanted, version) {
    let look;
    const found = new Promise((resolve) => {
      look = () => {
        const params = this.latest.get(uri);
        const current = params && (version === undefined || params.version === version);
        if (current && wanted(params.diagnostics)) resolve(params.diagnostics);
      };
      this.waiting.add(look);
      look();
    });
    const seen = () => `diagnostics of ${uri}, now ${JSON.stringify(this.latest.get(uri) ?? null).slice(0, 800)}`;
    return within(found, seen).finally(() => this.waiting.delete(look));
  }

  actions(uri, range, diagnostics, only) {
    return this.request('textDocument/codeAction', {textDocument: {uri}, range, context: {diagnostics, only}});
  }

  async stop() {
    assert.equal(await this.request('shutdown'), null);
    await this.notify('exit');
    const status = await this.server.exit();
    this.connection.dispose();
    return status;
  }
}

/** Starts a server and shakes hands. What is not stopped is killed when the test `t` ends. */
export async function start(t, options = {}) {
  const server = spawnServer();
  t.after(() => server.child.kill('SIGKILL'));
  const client = new Client(server);
  await client.initialize(options);
  return client;
}

/** The edits that an action makes in `uri`, in either form of a WorkspaceEdit. */
export function editsOf(edit, uri) {
  const changes = (edit.documentChanges ?? []).filter(({textDocument}) => textDocument.uri === uri);
  return edit.changes?.[uri] ?? changes.flatMap(({edits}) => edits);
}

/** Is this action the fix of a kept tensor? Its title is the message of the fix, as the command line has it. */
export function keepsNumber({title}) {
  return /^keep the number, not the tensor( \(unsafe\))?$/i.test(title);
}
