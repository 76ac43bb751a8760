import { describe, expect, it } from '@jest/globals';
import { measureLeverAgreement } from './measure-lever-agreement.ts';

const LEVERS = [
  { name: 'priceChange', description: '', min: -10, max: 10, defaultValue: 0 },
  { name: 'marketingPct', description: '', min: 0, max: 40, defaultValue: 10 },
] as const;

const agreementOf = (...proposals: Record<string, number>[]): number =>
  measureLeverAgreement(
    proposals.map((levers) => ({ levers })),
    LEVERS,
  );

describe('measureLeverAgreement', () => {
  it.each<[string, Record<string, number>[], number]>([
    ['all keep the course', [{}, { priceChange: 0 }, { marketingPct: 10 }], 1],
    ['all move alike', [{ priceChange: 2 }, { priceChange: 2 }], 1],
    ['two that go opposite ways', [{ priceChange: -5 }, { priceChange: 5 }], 0],
    ['one that keeps what the other moves', [{ priceChange: 2 }, {}], 0.8],
    ['one lever of two', [{ priceChange: 2, marketingPct: 40 }, { priceChange: 2 }], 0.5],
    ['a spread of three', [{ priceChange: -2 }, { priceChange: 0 }, { priceChange: 10 }], 0.8 / 3],
  ])('compares the levers that were moved: %s', (_, proposals, agreement) => {
    expect(agreementOf(...proposals)).toBeCloseTo(agreement, 9);
  });
});
