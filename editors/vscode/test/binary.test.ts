import assert from 'node:assert/strict';
import {chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, test} from 'node:test';

import {compareVersions, findBinary, type Lookup, probe, readVersion} from '../src/binary';

let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'torchleak-')); });
afterEach(() => rmSync(folder, {recursive: true}));

function program(name: string, body = 'echo torchleak 9.9.9'): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), {recursive: true});
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

function find(lookup: Partial<Lookup>) {
  return findBinary({
    setting: null, bundled: join(folder, 'none/torchleak'), trusted: true, path: '', platform: 'linux', ...lookup,
  });
}

function problem(found: object): string {
  assert.ok('problem' in found, JSON.stringify(found));
  return String(found.problem);
}

test('the setting goes before the bundled binary, and that before PATH', () => {
  const setting = program('set/torchleak');
  const bundled = program('bundled/torchleak');
  const installed = program('bin/torchleak');
  const path = dirname(installed);
  assert.deepEqual(find({setting, bundled, path}), {path: setting, from: 'setting'});
  assert.deepEqual(find({bundled, path}), {path: bundled, from: 'bundled'});
  assert.deepEqual(find({path}), {path: installed, from: 'PATH'});
});

test('in an untrusted workspace only the bundled binary runs', () => {
  const setting = program('set/torchleak');
  const bundled = program('bundled/torchleak');
  const path = dirname(setting);
  assert.deepEqual(find({setting, bundled, path, trusted: false}), {path: bundled, from: 'bundled'});
  assert.match(problem(find({setting, path, trusted: false})), /not trusted.*Trust the workspace/);
});

test('a setting that cannot be run is an error, and nothing else is run instead', () => {
  const bundled = program('bundled/torchleak');
  const missing = join(folder, 'gone');
  assert.match(problem(find({setting: missing, bundled})), /torchleak\.path names ".*gone", which does not exist/);
  assert.match(problem(find({setting: folder, bundled})), /is a folder/);
  assert.match(problem(find({setting: join(bundled, 'x'), bundled})), /does not exist/);
  assert.match(problem(find({setting: 'torchleak', bundled})), /must be an absolute path/);
  chmodSync(bundled, 0o644);
  assert.match(problem(find({setting: bundled})), /is not executable/);
  assert.match(problem(find({bundled})), /Install the extension again/);
});

test('relative and empty entries of PATH are not searched', () => {
  program('torchleak');
  const here = process.cwd();
  process.chdir(folder);
  try {
    assert.match(problem(find({path: ':.:./'})), /neither in the extension nor on PATH\. Put it on PATH/);
  } finally {
    process.chdir(here);
  }
});

test('PATH is searched in order, and for what can be run', () => {
  const first = program('a/torchleak');
  const second = program('b/torchleak');
  const path = `${dirname(first)}:${dirname(second)}`;
  assert.deepEqual(find({path}), {path: first, from: 'PATH'});
  chmodSync(first, 0o644);
  assert.deepEqual(find({path}), {path: second, from: 'PATH'});
  const windows = program('b/torchleak.exe');
  assert.deepEqual(find({path, platform: 'win32'}), {path: windows, from: 'PATH'});
});

test('versions are compared by their numbers', () => {
  assert.equal(compareVersions('0.1.0', '0.1.0'), 0);
  assert.equal(compareVersions('0.9.0', '0.10.0'), -1);
  assert.equal(compareVersions('1.0.0', '0.99.99'), 1);
  assert.equal(compareVersions('1.2', '1.2.0'), 0);
  assert.equal(compareVersions('1.2.3-rc1', '1.2.3'), 0);
});

test('what `version` prints is read, or refused with a reason', () => {
  assert.deepEqual(readVersion('torchleak 1.2.3\n', 'x'), {version: '1.2.3'});
  assert.match(problem(readVersion('torchleak 0.0.9\n', 'x')), /is torchleak 0\.0\.9; .* needs .* or later\. Update/);
  assert.match(problem(readVersion('ls (GNU coreutils) 9.1\n', '/bin/ls')), /"\/bin\/ls" is not torchleak/);
  assert.match(problem(readVersion('', 'x')), /is not torchleak/);
});

test('probing runs the binary, and says why it does not run', async () => {
  assert.deepEqual(await probe(program('good')), {version: '9.9.9'});
  const broken = await probe(program('bad', 'echo "cannot load libc" >&2; exit 127'));
  assert.match(problem(broken), /does not run: cannot load libc\. Is it built for this system/);
  assert.match(problem(await probe(join(folder, 'gone'))), /does not run: .*ENOENT/);
  const killed = await probe(program('killed', 'kill -ILL $$'));
  assert.match(problem(killed), /does not run: it ends with SIGILL\. Is it built/);
});

test('what runs but knows no `version` is not taken for a program of another system', async () => {
  const other = problem(await probe('/bin/cat'));
  assert.match(other, /"\/bin\/cat" is not torchleak, or too old: .* status 1 and "\S*cat: version: .*clear it/);
  assert.doesNotMatch(other, /built for this system/);
});
