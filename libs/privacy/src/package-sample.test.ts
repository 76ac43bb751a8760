import { describe, expect, it } from '@jest/globals';
import { countMaskedRows } from '../bench/count-false-masks.ts';
import { NODE_MODULES } from '../bench/config.ts';
import { samplePackages } from '../bench/sample-packages.ts';
import { createDetector } from './detect.ts';

describe('installed packages', () => {
  // Not seed 1, with which the training data is sampled.
  const rows = samplePackages(NODE_MODULES, 2).filter((_row, index) => index % 6 === 0);
  const masked = new Map(
    countMaskedRows(rows, createDetector()).map((row) => [row.kind, row.masked / row.rows]),
  );

  it('contain enough rows of each kind', () => {
    expect(rows.length).toBeGreaterThan(500);
    expect([...masked.keys()].toSorted()).toEqual(['code', 'json', 'prose']);
  });

  it.each([
    ['code', 0.02],
    ['json', 0.03],
    ['prose', 0.01],
  ] as const)('have few false names in rows of %s', (kind, maxShare) => {
    expect(masked.get(kind)).toBeLessThanOrEqual(maxShare);
  });
});
