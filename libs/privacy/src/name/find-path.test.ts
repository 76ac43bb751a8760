import { describe, expect, it } from '@jest/globals';
import { sumRows } from '../../training/learn.ts';
import { FEATURES } from './features.ts';
import { createPathFinder, LABEL_COUNT, packRows, ROW_LENGTH, sumPackedRows } from './find-path.ts';

const ROWS = 64;
const TOKENS = 3;

const steps = new Float32Array(LABEL_COUNT * LABEL_COUNT);

const pathOf = (
  length: number,
  scores: number[][],
  allowed?: (index: number) => number,
): number[] => {
  const finder = createPathFinder();
  for (const [index = 0, label = 0, score = 0] of scores)
    finder.emissions[index * LABEL_COUNT + label] = score;
  const path = new Uint8Array(length);
  finder.find(steps, length, path, allowed);
  return [...path];
};

describe('createPathFinder', () => {
  it('selects the best label of each token if all labels are allowed', () => {
    expect(
      pathOf(3, [
        [0, 1, 2],
        [1, 2, 2],
        [2, 0, 1],
      ]),
    ).toEqual([1, 2, 0]);
  });

  it('does not continue a span that has not begun', () => {
    expect(pathOf(2, [[1, 2, 3]])).toEqual([1, 2]);
    expect(
      pathOf(2, [
        [0, 0, 1],
        [1, 2, 3],
        [1, 1, 2.5],
      ]),
    ).toEqual([0, 1]);
    expect(
      pathOf(2, [
        [0, 3, 9],
        [1, 2, 3],
      ])[1],
    ).not.toBe(2);
  });

  it('selects only allowed labels', () => {
    expect(
      pathOf(
        2,
        [
          [0, 1, 5],
          [1, 2, 5],
        ],
        (index) => (index === 0 ? 1 : 0b1010),
      ),
    ).toEqual([0, 1]);
  });
});

describe('sumPackedRows', () => {
  it.each([
    ['of all values', (index: number) => ((index * 37) % 256) - 128],
    ['that are minimal', () => -128],
    ['that are maximal', () => 127],
  ])('sums weights %s like plain addition', (_name, weightAt) => {
    const rows = Int8Array.from({ length: ROWS * ROW_LENGTH }, (_, index) => weightAt(index));
    const features = Int32Array.from(
      { length: TOKENS * FEATURES },
      (_, index) => (index * 29) % ROWS,
    );
    const [plain, packed] = [0, 1].map(() => new Float64Array(TOKENS * LABEL_COUNT));
    sumRows(rows, features, plain!, TOKENS);
    sumPackedRows(packRows(rows), features, packed!, TOKENS);
    expect(packed).toEqual(plain);
  });

  it('rejects weights that are not 8-bit integers', () => {
    expect(() => packRows(Float32Array.of(0.5, 0, 0, 0))).toThrow(RangeError);
    expect(() => packRows(Float32Array.of(128, 0, 0, 0))).toThrow(RangeError);
  });
});
