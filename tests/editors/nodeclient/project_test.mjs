// More than one text: helpers in other files, notebooks.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {editsOf, keepsNumber, project, start, TextDocument} from './client.mjs';
import {rangeOf} from './text.mjs';

const train = `import torch.nn.functional as F

from meters import Meter


def train(model, loader, optimizer):
    losses = Meter()
    for images, labels in loader:
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss)
    return losses
`;
const keeps = `class Meter:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value)
`;
const counts = keeps.replace('append(value)', 'append(value.item())');

test('an edit of a helper changes the findings of the file that uses it', async (t) => {
  const {folder, uri} = project(t, {'train.py': train, 'meters.py': counts});
  const client = await start(t, {folder});
  await client.open(uri('train.py'), train);
  await client.open(uri('meters.py'), counts);
  await client.diagnostics(uri('train.py'), (list) => list.length === 0);

  await client.change(uri('meters.py'), 2, keeps);
  const [finding] = await client.diagnostics(uri('train.py'), (list) => list.length === 1);
  assert.deepEqual(finding.range, rangeOf(train, 'losses.update(loss)'));
  const there = finding.relatedInformation.find(({location}) => location.uri === uri('meters.py'));
  assert.deepEqual(there?.location.range, rangeOf(keeps, 'self.values.append(value)'));

  await client.change(uri('meters.py'), 3, counts);
  await client.diagnostics(uri('train.py'), (list) => list.length === 0);
  assert.equal(await client.stop(), 0);
});

test('what is not saved goes when it is closed', async (t) => {
  const {folder, uri} = project(t, {'train.py': train, 'meters.py': counts});
  const client = await start(t, {folder});
  await client.open(uri('train.py'), train);
  await client.open(uri('meters.py'), keeps);
  await client.diagnostics(uri('train.py'), (list) => list.length === 1);
  await client.notify('textDocument/didClose', {textDocument: {uri: uri('meters.py')}});
  await client.diagnostics(uri('train.py'), (list) => list.length === 0);
  assert.equal(await client.stop(), 0);
});

test('names with blanks, percent signs and other letters', async (t) => {
  const name = 'a b/100% größe/train 🔥.py';
  const alone = train.replace('from meters import Meter\n', '').replace('Meter()', '[]').replace('update', 'append');
  const {folder, uri} = project(t, {[name]: alone});
  const client = await start(t, {folder});
  await client.open(uri(name), alone);
  const [finding] = await client.diagnostics(uri(name), (list) => list.length === 1);
  assert.deepEqual(finding.range, rangeOf(alone, 'losses.append(loss)'));
  assert.equal(await client.stop(), 0);
});

test('a file that was never saved', async (t) => {
  const {folder} = project(t);
  const alone = train.replace('from meters import Meter\n', '').replace('Meter()', '[]').replace('update', 'append');
  const client = await start(t, {folder});
  await client.open('untitled:Untitled-1', alone);
  const [finding] = await client.diagnostics('untitled:Untitled-1', (list) => list.length === 1);
  assert.deepEqual(finding.range, rangeOf(alone, 'losses.append(loss)'));
  assert.equal(await client.stop(), 0);
});

const CELLS = [
  'import torch\nfrom torch import nn\n\nhistory = {"🔥": []}\nmodel = nn.Linear(4, 1)',
  'optimizer = torch.optim.SGD(model.parameters())\nfor inputs, labels in loader:\n' +
      '    loss = nn.functional.mse_loss(model(inputs), labels)\n    optimizer.zero_grad()\n' +
      '    loss.backward()\n    optimizer.step()\n    history["🔥"].append(loss)\n',
];

function notebookOf(uri, texts) {
  const document = (i) => `vscode-notebook-cell:${uri.slice('file:'.length)}#W${i}`;
  return {
    cell: document,
    open: {
      notebookDocument: {
        uri, notebookType: 'jupyter-notebook', version: 1,
        cells: texts.map((_, i) => ({kind: 2, document: document(i)})),
      },
      cellTextDocuments: texts.map((text, i) => ({uri: document(i), languageId: 'python', version: 1, text})),
    },
  };
}

test('cells of a notebook are one program, with places in each cell', async (t) => {
  const {folder, uri} = project(t);
  const client = await start(t, {folder});
  assert.ok(client.capabilities.notebookDocumentSync);
  const {open, cell} = notebookOf(uri('eda.ipynb'), CELLS);
  await client.notify('notebookDocument/didOpen', open);
  const [finding] = await client.diagnostics(cell(1), (list) => list.length === 1);
  assert.deepEqual(finding.range, rangeOf(CELLS[1], 'history["🔥"].append(loss)'));
  assert.deepEqual((await client.diagnostics(cell(0), () => true)), []);

  const offered = await client.actions(cell(1), finding.range, [finding]);
  const fix = offered.find(keepsNumber);
  const edits = editsOf(fix.edit, cell(1));
  assert.equal(TextDocument.applyEdits(TextDocument.create(cell(1), 'python', 1, CELLS[1]), edits),
               CELLS[1].replace('append(loss)', 'append(loss.item())'));

  const changes = edits.map(({range, newText}) => ({range, text: newText}));
  await client.notify('notebookDocument/didChange', {
    notebookDocument: {uri: uri('eda.ipynb'), version: 2},
    change: {cells: {textContent: [{document: {uri: cell(1), version: 2}, changes}]}},
  });
  await client.diagnostics(cell(1), (list) => list.length === 0);
  await client.notify('notebookDocument/didClose', {
    notebookDocument: {uri: uri('eda.ipynb')}, cellTextDocuments: [{uri: cell(0)}, {uri: cell(1)}],
  });
  assert.equal(await client.stop(), 0);
});
