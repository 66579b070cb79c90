import assert from 'node:assert/strict';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';

import {absolutePath, expandPath, serverSettings} from '../src/settings';

const place = {workspaceFolder: '/work space', environment: {TOOLS: '/opt/tools'}};

function settings(values: Record<string, unknown>) {
  return serverSettings(<T>(name: string) => values[name] as T | undefined, place);
}

test('without any setting the configuration files decide', () => {
  assert.deepEqual(settings({}), {
    configuration: null, select: [], ignore: [], extendSelect: [], minConfidence: null,
    unsafeFixes: true, workspaceDiagnostics: true, debounce: null, logLevel: 'info',
  });
});

test('an empty setting is one that is not set', () => {
  const {configuration, minConfidence} = settings({configuration: '', minConfidence: ''});
  assert.deepEqual([configuration, minConfidence], [null, null]);
});

test('what is set is handed on, false and 0 as well', () => {
  const {unsafeFixes, debounce, ignore} = settings({unsafeFixes: false, debounce: 0, ignore: ['TLK1']});
  assert.deepEqual([unsafeFixes, debounce, ignore], [false, 0, ['TLK1']]);
});

test('variables of paths are replaced', () => {
  assert.equal(expandPath('~/bin/torchleak', place), join(homedir(), 'bin/torchleak'));
  assert.equal(expandPath('~other/x', place), '~other/x');
  assert.equal(expandPath('${workspaceFolder}/a/${workspaceFolder}', place), '/work space/a//work space');
  assert.equal(expandPath('${env:TOOLS}/t', place), '/opt/tools/t');
  assert.equal(expandPath('${env:NONE}/t', place), '/t');
  assert.equal(expandPath('  ', place), null);
  assert.equal(expandPath(undefined, place), null);
});

test('without a folder its variable stays, so that the message shows it', () => {
  assert.equal(expandPath('${workspaceFolder}/t', {workspaceFolder: undefined, environment: {}}), '${workspaceFolder}/t');
});

test('a relative path starts from the workspace', () => {
  assert.equal(settings({configuration: 'ci/torchleak.toml'}).configuration, '/work space/ci/torchleak.toml');
  assert.equal(settings({configuration: '/etc/t.toml'}).configuration, '/etc/t.toml');
  assert.equal(absolutePath('tools/torchleak', place), '/work space/tools/torchleak');
  assert.equal(absolutePath('torchleak', {workspaceFolder: undefined, environment: {}}), 'torchleak');
});
