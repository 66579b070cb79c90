// docs/editors.md and the extension say the same of the settings, and what is shown as JSON is JSON.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/editors.md', root), 'utf8');
const readme = readFileSync(new URL('editors/vscode/README.md', root), 'utf8');
const manifest = JSON.parse(readFileSync(new URL('editors/vscode/package.json', root), 'utf8'));
const properties = manifest.contributes.configuration.properties;
/** Those that are the extension's own business, not the server's. */
const OWN = ['path', 'trace.server'];

function rows(text, heading) {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  return section.split('\n').filter((line) => line.startsWith('| `')).map((line) => {
    const [name, values, fallback, meaning] = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''));
    return {name: name.slice(1, -1), values, fallback: fallback.slice(1, -1), meaning};
  });
}

function values({type, enum: words, items}) {
  const types = [type].flat().filter((name) => name !== 'null');
  if (words) return words.filter((word) => word !== '').map((word) => `\`${word}\``).join(', ');
  if (items) return 'rules';
  return {string: 'path', boolean: '`true`, `false`', integer: 'number'}[types[0]];
}

for (const [text, heading, prefix, left] of [[page, 'Settings', '', OWN], [readme, 'Settings', 'torchleak.', []]]) {
  test(`the table of settings, ${prefix ? 'README.md of the extension' : 'docs/editors.md'}`, () => {
    const wanted = Object.entries(properties)
        .map(([name, property]) => [name.replace(/^torchleak\./, ''), property])
        .filter(([name]) => !left.includes(name))
        .map(([name, property]) => ({
          name: prefix + name,
          values: values(property),
          fallback: JSON.stringify(property.default),
          // What the extension makes of paths, servers of other editors do not.
          meaning: prefix ? property.markdownDescription : property.markdownDescription.replace(/ `~`, .*$/, ''),
        }));
    const byName = (a, b) => a.name.localeCompare(b.name);
    assert.deepEqual(rows(text, heading).toSorted(byName), wanted.toSorted(byName));
  });
}

test('every setting is described, in order and with its words', () => {
  const all = Object.entries(properties);
  assert.deepEqual(all.map(([, {order}]) => order), all.map((_, i) => i + 1));
  for (const [name, {markdownDescription, enum: words, enumDescriptions, markdownEnumDescriptions, scope}] of all) {
    assert.ok(markdownDescription && scope, name);
    if (words) assert.equal((enumDescriptions ?? markdownEnumDescriptions).length, words.length, name);
  }
});

test('what is shown as JSON is JSON', () => {
  const blocks = [...`${page}\n${readme}`.matchAll(/^```json\n([^]*?)^```$/gm)];
  assert.ok(blocks.length > 3);
  for (const [, text] of blocks) JSON.parse(text);
});

test('commands that the README names are there', () => {
  const titles = manifest.contributes.commands.map(({category, title}) => `${category}: ${title}`);
  for (const title of titles) assert.ok(readme.includes(`*${title}*`), title);
});
