import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

// Services do not import each other, so what one writes and the other reads is compared as text.
const OURS = new URL('./recognise-debate.ts', import.meta.url);
const THEIRS = new URL(
  '../../../../../agents/src/domain/debate/prompt/prompt-markers.ts',
  import.meta.url,
);

const markersOf = (file: URL): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^(?:export )?const (\w+) = '(.+)';$/gm)].map(
      ([, name, marker]) => [name, marker],
    ),
  );

describe('the words by which prompts of a debate are known', () => {
  it('are those of the service that writes them', () => {
    const ours = markersOf(OURS);
    expect(Object.keys(ours)).toHaveLength(9);
    expect(ours).toEqual(markersOf(THEIRS));
  });
});
