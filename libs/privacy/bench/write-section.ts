import { readFileSync, writeFileSync } from 'node:fs';

const README = new URL('../README.md', import.meta.url);

/**
 * Puts lines between `<!-- name -->` and `<!-- /name -->` of the package's README. Throws when it
 * has no such section.
 */
export const writeSection = (name: string, lines: readonly string[]): void => {
  const text = readFileSync(README, 'utf8');
  const open = `<!-- ${name} -->`;
  const start = text.indexOf(open);
  const end = text.indexOf(`<!-- /${name} -->`);
  if (start < 0 || end < start) throw new Error(`The README has no section ${name}.`);
  const body = `\n\n${lines.join('\n').trim()}\n\n`;
  writeFileSync(README, text.slice(0, start + open.length) + body + text.slice(end));
};
