import { describe, expect, it } from '@jest/globals';
import { createCharTable } from './char-table.ts';
import { readClues } from './features.ts';
import { WINDOW } from './find-path.ts';
import { EDGE_TOKENS, tokenize } from './tokenize.ts';
import type { Span } from '../span.ts';
import { createWindowFinder } from './windows.ts';

const table = createCharTable();
const emptyGazetteer = new Uint32Array(8);

const windowsOf = (text: string, threshold: number, takenSpans: Span[] = []): number[][] => {
  const tokens = tokenize(text, takenSpans, table);
  const clues = readClues(tokens, emptyGazetteer);
  const windows: number[][] = [];
  const gate = { rows: new Int8Array(1024), threshold };
  const { readTo, finish } = createWindowFinder(gate)(tokens, clues, (from, to) =>
    windows.push([from - EDGE_TOKENS, to - EDGE_TOKENS]),
  );
  readTo(tokens.count);
  finish();
  return windows;
};

describe('createWindowFinder', () => {
  it('visits all words with a low threshold, and none with a high one', () => {
    expect(windowsOf('Ann and Bob', -1)).toEqual([[0, 3]]);
    expect(windowsOf('Ann and Bob', 1)).toEqual([]);
  });

  it('includes a few tokens around words', () => {
    expect(windowsOf('. . . . . . Ann . . . . . .', -1)).toEqual([[3, 9]]);
  });

  it('ends a window at a taken span', () => {
    const takenSpans = [{ start: 4, end: 10, category: 'EMAIL' as const }];
    expect(windowsOf('Ann a@b.de Bob', -1, takenSpans)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('visits every token once, in windows of limited length', () => {
    const windows = windowsOf('Ann '.repeat(3 * WINDOW + 7), -1);
    let until = 0;
    for (const [from = 0, to = 0] of windows) {
      expect(from).toBeGreaterThanOrEqual(until);
      expect(to - from).toBeLessThanOrEqual(WINDOW);
      until = to;
    }
    expect(until).toBe(3 * WINDOW + 7);
  });
});
