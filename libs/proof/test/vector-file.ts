import { readFileSync } from 'node:fs';

/** The text of one of our own vectors. */
export function vectorText(name: string): string {
  return readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8');
}
