import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

// Services do not import each other, so the markers are compared as text.
const OURS = new URL('./recognise-debate.ts', import.meta.url);
const THEIRS = new URL(
  '../../../../../../agents/src/debate/prompt/prompt-markers.ts',
  import.meta.url,
);

const markersOf = (file: URL): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^(?:export )?const (\w+) = '(.+)';$/gm)].map(
      ([, name, marker]) => [name, marker],
    ),
  );

describe('the markers of debate prompts', () => {
  it('equal those of the agents service', () => {
    const ours = markersOf(OURS);
    expect(Object.keys(ours)).toHaveLength(9);
    expect(ours).toEqual(markersOf(THEIRS));
  });
});
