import { describe, expect, it } from '@jest/globals';
import { FEATURES } from './features.ts';
import { createPathFinder, LABEL_COUNT, ROW_LENGTH, packRows, sumPackedRows } from './find-path.ts';

const ROWS = 64;
const TOKENS = 3;

describe('sumPackedRows', () => {
  it.each([
    ['of all values', (index: number) => ((index * 37) % 256) - 128],
    ['that are minimal', () => -128],
    ['that are maximal', () => 127],
  ])('sums weights %s like plain addition', (_name, weightAt) => {
    const rows = Int8Array.from({ length: ROWS * ROW_LENGTH }, (_, index) => weightAt(index));
    const finder = createPathFinder();
    for (let index = 0; index < TOKENS * FEATURES; index++)
      finder.features[index] = (index * 29) % ROWS;
    finder.score({ rows }, TOKENS);
    const packed = new Float64Array(TOKENS * LABEL_COUNT);
    sumPackedRows(packRows(rows), finder.features, packed, TOKENS);
    expect([...packed]).toEqual([...finder.emissions.slice(0, TOKENS * LABEL_COUNT)]);
  });

  it('rejects weights that are not 8-bit integers', () => {
    expect(() => packRows(Float32Array.of(0.5, 0, 0, 0))).toThrow(RangeError);
    expect(() => packRows(Float32Array.of(128, 0, 0, 0))).toThrow(RangeError);
  });
});
