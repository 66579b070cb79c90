// What an editor shows and changes: diagnostics, hovers, quick fixes, settings.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

import {editsOf, keepsNumber, project, start, TextDocument} from './client.mjs';
import {rangeOf, toUtf16} from './text.mjs';

const train = readFileSync(new URL('../fixtures/train.py', import.meta.url), 'utf8');
const leaks = train.match(/\w+(\[".*"\])?\.append\(loss\)/gu);
const fixed = train.replaceAll('append(loss)', 'append(loss.item())');
const byPlace = (a, b) => a.range.start.line - b.range.start.line;

for (const encodings of [['utf-8'], ['utf-16'], ['utf-32'], ['utf-16', 'utf-8'], undefined]) {
  test(`findings and fixes with positions in ${encodings ?? 'what is not said'}`, async (t) => {
    const {folder, uri} = project(t, {'train.py': train});
    const client = await start(t, {folder, encodings});
    const encoding = client.capabilities.positionEncoding ?? 'utf-16';
    assert.ok((encodings ?? ['utf-16']).includes(encoding), encoding);
    if (encodings?.includes('utf-8')) assert.equal(encoding, 'utf-8');

    const file = uri('train.py');
    await client.open(file, train);
    const found = (await client.diagnostics(file, (list) => list.length === 3, 1)).toSorted(byPlace);
    assert.deepEqual(found.map(({range}) => range), leaks.map((part) => rangeOf(train, part, encoding)));

    let text = train;
    let version = 1;
    for (let left = found.length; left > 0; --left) {
      const [finding] = client.latest.get(file).diagnostics.toSorted(byPlace).slice(-1);
      const offered = await client.actions(file, finding.range, [finding]);
      const fix = offered.find(keepsNumber);
      assert.ok(fix, JSON.stringify(offered.map(({title}) => title)));
      const edits = editsOf(fix.edit, file).map((edit) => toUtf16(text, edit, encoding));
      text = TextDocument.applyEdits(TextDocument.create(file, 'python', version, text), edits);
      await client.change(file, ++version, text);
      await client.diagnostics(file, (list) => list.length === left - 1, version);
    }
    assert.equal(text, fixed);
    assert.equal(await client.stop(), 0);
  });
}

test('a finding says what the command line says', async (t) => {
  const {folder, uri} = project(t, {'train.py': train});
  const client = await start(t, {folder});
  assert.equal(client.serverInfo.name, 'torchleak');
  await client.open(uri('train.py'), train);
  const [first] = (await client.diagnostics(uri('train.py'), (list) => list.length === 3)).toSorted(byPlace);
  assert.equal(first.source, 'torchleak');
  assert.equal(first.code, 'TLK101');
  assert.match(first.codeDescription.href, /accumulated-tensor$/);
  assert.equal(first.severity, 2);
  assert.equal(first.message, '`loss` is kept in `losses` with its autograd graph');
  const steps = first.relatedInformation.map(({message, location}) => [message, location.range]);
  assert.deepEqual(steps.find(([message]) => /module's output carries its graph/.test(message))?.[1],
                   rangeOf(train, 'model(inputs)'));
  assert.ok(first.relatedInformation.every(({location}) => location.uri === uri('train.py')));
  assert.equal(await client.stop(), 0);
});

test('incremental edits, of several ranges at once, behind astral characters', async (t) => {
  const {folder, uri} = project(t, {'train.py': train});
  const client = await start(t, {folder});
  const file = uri('train.py');
  await client.open(file, train);
  await client.diagnostics(file, (list) => list.length === 3, 1);
  const text = TextDocument.create(file, 'python', 1, train);
  const after = (part) => {
    const {start: {line}, end: {character}} = rangeOf(text.getText(), part);
    const at = {line, character: character - 1};
    return {range: {start: at, end: at}, text: '.item()'};
  };
  const contentChanges = [];
  for (const part of ['history["🔥"].append(loss)', 'losses.append(loss)']) {
    contentChanges.push(after(part));
    TextDocument.update(text, contentChanges.slice(-1), 2);
  }
  await client.notify('textDocument/didChange', {textDocument: {uri: file, version: 2}, contentChanges});
  const [last] = await client.diagnostics(file, (list) => list.length === 1, 2);
  assert.deepEqual(last.range, rangeOf(text.getText(), leaks[2]));
  assert.equal(await client.stop(), 0);
});

test('an unsafe fix is not preferred, a finding can be silenced, its page shown', async (t) => {
  const {folder, uri} = project(t, {'train.py': train});
  const client = await start(t, {folder});
  const file = uri('train.py');
  await client.open(file, train);
  const found = await client.diagnostics(file, (list) => list.length === 3);
  const finding = found.find(({range}) => range.start.line === rangeOf(train, leaks[1]).start.line);
  const offered = await client.actions(file, finding.range, [finding]);
  const unsafe = offered.find(keepsNumber);
  assert.equal(unsafe.kind, 'quickfix');
  assert.ok(!unsafe.isPreferred);
  const page = offered.find(({title}) => title === 'Show the page of TLK101 accumulated-tensor');
  assert.equal(page?.command?.command, 'torchleak.showRule');
  assert.deepEqual(page.command.arguments, ['TLK101']);

  const silence = offered.find(({title}) => title === 'Disable TLK101 for this line');
  const quiet = TextDocument.applyEdits(TextDocument.create(file, 'python', 1, train), editsOf(silence.edit, file));
  assert.equal(quiet, train.replace('["🔥"].append(loss)', '["🔥"].append(loss)  # noqa: TLK101'));
  await client.change(file, 2, quiet);
  await client.diagnostics(file, (list) => list.length === 2, 2);
  assert.equal(await client.stop(), 0);
});

const stale = readFileSync(new URL('../fixtures/stale.py', import.meta.url), 'utf8');

test('safe fixes are preferred, and made all at once', async (t) => {
  const both = train + '\n\n' + stale.slice(stale.indexOf('def'));
  const {folder, uri} = project(t, {'train.py': both});
  const client = await start(t, {folder});
  const file = uri('train.py');
  await client.open(file, both);
  const found = await client.diagnostics(file, (list) => list.length === 4);
  const unused = found.find(({code}) => code === 'TLK001');
  const [fix] = await client.actions(file, unused.range, [unused], ['quickfix']);
  assert.equal(fix.isPreferred, true);

  const whole = {start: {line: 0, character: 0}, end: {line: 99, character: 0}};
  const all = await client.actions(file, whole, [], ['source.fixAll']);
  assert.deepEqual(all.map(({kind}) => kind), ['source.fixAll.torchleak']);
  const apply = (edit) =>
      TextDocument.applyEdits(TextDocument.create(file, 'python', 1, both), editsOf(edit, file));
  const want = both.replace('  # noqa: TLK101', '');
  assert.equal(apply(all[0].edit), want);

  await client.request('workspace/executeCommand', {command: 'torchleak.applyFixAll', arguments: [file]});
  assert.equal(client.edits.length, 1);
  assert.equal(apply(client.edits[0]), want);
  assert.equal(await client.stop(), 0);
});

test('hovers on findings and on codes in comments', async (t) => {
  const text = train.replace('losses.append(loss)', 'losses.append(loss)  # noqa: TLK101');
  const {folder, uri} = project(t, {'train.py': text});
  const client = await start(t, {folder});
  const file = uri('train.py');
  await client.open(file, text);
  await client.diagnostics(file, (list) => list.length === 2);
  const hover = (part) => client.request(
      'textDocument/hover', {textDocument: {uri: file}, position: rangeOf(text, part).start});
  const contents = async (part) => JSON.stringify((await hover(part))?.contents ?? null);
  assert.match(await contents('TLK101'), /accumulated-tensor/);
  const found = await hover('history["🔥"].append');
  assert.equal(found.contents.kind, 'markdown');
  assert.match(found.contents.value, /its autograd graph[^]*grad mode[^]*\n1\. \[line \d+\]\(file:.*#L\d+\)/u);
  assert.deepEqual(found.range, rangeOf(text, leaks[1]));
  assert.match(await contents('losses.append'), /is suppressed by `# noqa: TLK101`/);
  assert.equal(await hover('optimizer.zero_grad'), null);
  assert.equal(await client.stop(), 0);
});

test('settings hold from the start, and from when they change', async (t) => {
  const {folder, uri} = project(t, {'train.py': train});
  const client = await start(t, {folder, settings: {ignore: ['TLK101']}});
  const file = uri('train.py');
  await client.open(file, train);
  await client.diagnostics(file, (list) => list.length === 0);
  const change = (settings) =>
      client.notify('workspace/didChangeConfiguration', {settings: {torchleak: settings}});
  await change({ignore: [], unsafeFixes: false});
  const found = await client.diagnostics(file, (list) => list.length === 3);
  const offered = await client.actions(file, found[0].range, [found[0]]);
  assert.ok(!offered.some(keepsNumber));
  await change({select: ['TLK203']});
  await client.diagnostics(file, (list) => list.length === 0);
  assert.equal(await client.stop(), 0);
});

test('diagnostics can be asked for', async (t) => {
  const {folder, uri} = project(t, {'train.py': train});
  const client = await start(t, {folder, pull: true});
  assert.equal(client.capabilities.diagnosticProvider?.interFileDependencies, true);
  await client.open(uri('train.py'), train);
  const report = await client.request('textDocument/diagnostic', {textDocument: {uri: uri('train.py')}});
  assert.equal(report.kind, 'full');
  assert.deepEqual(report.items.toSorted(byPlace).map(({range}) => range), leaks.map((part) => rangeOf(train, part)));
  assert.equal(await client.stop(), 0);
});
