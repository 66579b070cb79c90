// node snippet.mjs PAGE HEADING LANGUAGE NUMBER: prints that code block of the section, so that what the
// documentation says is what a test runs. Also for import.
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

export function snippet(page, heading, language, number = 1) {
  const text = readFileSync(page, 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${page} has no section '${heading}'`);
  const blocks = [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].filter(([, name]) => name === language);
  const block = blocks[number - 1];
  if (!block) throw new Error(`'${heading}' of ${page} has ${blocks.length} blocks of ${language}, not ${number}`);
  return block[2];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [page, heading, language, number] = process.argv.slice(2);
  process.stdout.write(snippet(page, heading, language, Number(number ?? 1)));
}
