// The test's own arithmetic.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {rangeOf, toUtf16} from './text.mjs';

const text = 'x\ny = "🔥é", here\n';

for (const [encoding, character] of [['utf-8', 14], ['utf-16', 11], ['utf-32', 10]]) {
  test(`a place behind an astral character, in ${encoding}`, () => {
    const range = rangeOf(text, 'here', encoding);
    assert.deepEqual(range.start, {line: 1, character});
    assert.deepEqual(toUtf16(text, {range, newText: ''}, encoding).range.start, {line: 1, character: 11});
  });
}
