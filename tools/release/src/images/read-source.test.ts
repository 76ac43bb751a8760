import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readSource } from './read-source.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

const read = async (origin: string, source?: string): Promise<string | undefined> => {
  const run = async (_command: string, argv: readonly string[]): Promise<string> => {
    if (argv[0] === 'remote') return `origin\t${origin} (fetch)\norigin\t${origin} (push)\n`;
    return argv[0] === 'show' ? '2026-01-02T03:04:05+00:00\n' : '\n';
  };
  return (await readSource(ROOT, run, source)).source;
};

describe('readSource', () => {
  it.each([
    ['https://ada:token@example.org/witan.git', undefined, 'https://example.org/witan.git'],
    ['https://token@example.org/witan.git', undefined, 'https://example.org/witan.git'],
    ['git@example.org:witan.git', undefined, undefined],
    ['https://example.org/a.git', 'https://ada:b%2Fc@example.org/b', 'https://example.org/b'],
  ])('returns %s, or the given %s, without credentials', async (origin, source, expected) => {
    expect(await read(origin, source)).toBe(expected);
  });

  it('rejects an invalid URL without naming it', async () => {
    const reading = read('https://example.org/a.git', 'https://ada:b/c@example.org');
    await expect(reading).rejects.toThrow(/^The source .* must be an http or https URL\.$/);
  });
});
