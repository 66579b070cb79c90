// Places in a text, in the units that client and server have agreed on.

const LENGTH = {
  'utf-8': (text) => Buffer.byteLength(text, 'utf8'),
  'utf-16': (text) => text.length,
  'utf-32': (text) => [...text].length,
};

/** Where `part` stands, the one time that it occurs. */
export function rangeOf(text, part, encoding = 'utf-16') {
  const at = text.indexOf(part);
  if (at < 0 || text.indexOf(part, at + 1) >= 0) throw new Error(`'${part}' must occur once`);
  const place = (offset) => {
    const start = text.lastIndexOf('\n', offset - 1) + 1;
    const line = text.slice(0, offset).split('\n').length - 1;
    return {line, character: LENGTH[encoding](text.slice(start, offset))};
  };
  return {start: place(at), end: place(at + part.length)};
}

/** An edit whose positions count in `encoding`, as one that counts in UTF-16. */
export function toUtf16(text, edit, encoding) {
  const lines = text.split('\n');
  const place = ({line, character}) => {
    let units = 0;
    let left = character;
    for (const letter of lines[line] ?? '') {
      if (left <= 0) break;
      left -= LENGTH[encoding](letter);
      units += letter.length;
    }
    if (left !== 0) throw new Error(`${line}:${character} is inside a character, or behind the line`);
    return {line, character: units};
  };
  return {newText: edit.newText, range: {start: place(edit.range.start), end: place(edit.range.end)}};
}
