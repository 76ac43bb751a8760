import { readFileSync, writeFileSync } from 'node:fs';

const README = new URL('../README.md', import.meta.url);

/** Replaces the lines between `<!-- name -->` and `<!-- /name -->` in the README. */
export const writeSection = (name: string, lines: readonly string[]): void => {
  const text = readFileSync(README, 'utf8');
  const open = `<!-- ${name} -->`;
  const start = text.indexOf(open);
  const end = text.indexOf(`<!-- /${name} -->`);
  if (start < 0 || end < start) throw new Error(`The README has no section ${name}.`);
  const body = `\n\n${lines.join('\n').trim()}\n\n`;
  writeFileSync(README, text.slice(0, start + open.length) + body + text.slice(end));
};
