// How a server ends: as the protocol says, and whenever its client is gone.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {test} from 'node:test';

import {project, spawnServer, start, within} from './client.mjs';

/** A process that does nothing until it is killed. */
function sleeper(t) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1 << 30)'], {stdio: 'ignore'});
  t.after(() => child.kill('SIGKILL'));
  return child;
}

test('shutdown, then exit: 0', async (t) => {
  assert.equal(await (await start(t)).stop(), 0);
});

test('exit without shutdown: 1', async (t) => {
  const client = await start(t);
  await client.notify('exit');
  assert.equal(await client.server.exit(), 1);
});

test('the end of input ends it', async (t) => {
  const client = await start(t);
  client.server.child.stdin.end();
  await client.server.exit();
});

test('input that ends before anything was said', async (t) => {
  const server = spawnServer();
  t.after(() => server.child.kill('SIGKILL'));
  server.child.stdin.end();
  await server.exit();
});

test('it ends when its client is killed, though someone keeps the pipe open', async (t) => {
  const editor = sleeper(t);
  const client = await start(t, {processId: editor.pid});
  editor.kill('SIGKILL');
  await client.server.exit();
});

test('it ends when the process that reads its answers is gone', async (t) => {
  const {folder} = project(t);
  const client = await start(t, {folder, processId: null});
  client.connection.dispose();
  client.server.child.stdout.destroy();
  client.server.child.stdin.on('error', () => {});
  // Answers to these cannot be written.
  for (let id = 1; id < 4; ++id) {
    const body = JSON.stringify({jsonrpc: '2.0', id: `x${id}`, method: 'no/such'});
    client.server.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  }
  client.server.child.stdin.end();
  await client.server.exit();
});

test('requests before initialize and after shutdown are refused', async (t) => {
  const client = await start(t);
  await client.request('shutdown');
  await assert.rejects(client.request('textDocument/hover', {
    textDocument: {uri: 'file:///x.py'}, position: {line: 0, character: 0},
  }), {code: -32600});
  await client.notify('exit');
  assert.equal(await client.server.exit(), 0);

  const server = spawnServer();
  t.after(() => server.child.kill('SIGKILL'));
  const body = '{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}';
  server.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  const [answer] = await within(once(server.child.stdout, 'data'), () => 'the refusal');
  assert.match(String(answer), /-32002/);
  server.child.stdin.end();
  await server.exit();
});
