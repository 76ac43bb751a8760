import { readFileSync } from 'node:fs';

export function vectorText(name: string): string {
  return readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8');
}
