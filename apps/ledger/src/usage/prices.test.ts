import { describe, expect, it } from '@jest/globals';
import { PRICE_TABLE } from './price-table.ts';
import { createPrices, parsePriceFile, toMicros } from './prices.ts';

const OWN = {
  date: '2030-01-31',
  prices: [
    { provider: 'local', model: '*', input: 0, output: 0 },
    { provider: 'openai', model: 'gpt-4o', input: 1, cachedInput: 0, output: 3 },
    { provider: 'own', model: 'a.b*c', input: 7, output: 11 },
  ],
};

const tokens = (prompt: number, completion: number, cached = 0, written = 0) => ({
  promptTokens: BigInt(prompt),
  completionTokens: BigInt(completion),
  cachedTokens: BigInt(cached),
  cacheWriteTokens: BigInt(written),
});

describe('prices', () => {
  it.each<[string, string, ReturnType<typeof tokens>, bigint | undefined]>([
    ['openai', 'gpt-4o', tokens(1_000_000, 0), 2_500_000_000_000n],
    ['openai', 'gpt-4o', tokens(0, 1_000_000), 10_000_000_000_000n],
    ['openai', 'gpt-4o', tokens(1_000_000, 0, 1_000_000), 1_250_000_000_000n],
    ['openai', 'gpt-4o', tokens(10, 3, 4), 6n * 2_500_000n + 4n * 1_250_000n + 3n * 10_000_000n],
    ['openai', 'gpt-4o-mini-2024-07-18', tokens(1, 1), 750_000n],
    [
      'anthropic',
      'claude-sonnet-4-20250514',
      tokens(10, 1, 2, 3),
      15_000_000n + 600_000n + 11_250_000n + 15_000_000n,
    ],
    ['openai', 'gpt-4o', tokens(0, 0), 0n],
    ['openai', 'gpt-4o', tokens(1, 0, 5), 5n * 1_250_000n],
    ['openai', 'gpt-4o-2024-05-13', tokens(1, 1), undefined],
    ['openai', 'gpt-9', tokens(1, 1), undefined],
    ['another', 'gpt-4o', tokens(1, 1), undefined],
    ['local', 'llama', tokens(1, 1), undefined],
    ['offline', 'witan-offline', tokens(1, 1), undefined],
  ])('of %s %s for %j are %s picodollars', (provider, model, counts, expected) => {
    expect(createPrices().costOf({ provider, model }, counts)).toBe(expected);
  });

  it('of the operator take precedence, and may be 0', () => {
    const { costOf } = createPrices(OWN);
    const cost = (provider: string, model: string) => costOf({ provider, model }, tokens(10, 2, 4));
    expect(cost('local', 'llama\n3')).toBe(0n);
    expect(cost('openai', 'gpt-4o')).toBe(12n);
    expect(cost('openai', 'gpt-4o-mini')).toBe(6n * 150_000n + 4n * 75_000n + 2n * 600_000n);
    expect([cost('own', 'a.b-c'), cost('own', 'aXb-c')]).toEqual([92n, undefined]);
  });

  it('are named by date and hash, which change with every price', () => {
    const [pinned, own] = [createPrices(), createPrices(OWN)];
    expect([pinned.date, pinned.hasOverrides]).toEqual([PRICE_TABLE.date, false]);
    expect([own.date, own.hasOverrides]).toEqual([OWN.date, true]);
    expect(pinned.sha256).toMatch(/^[0-9a-f]{64}$/);
    const changed = createPrices({ ...OWN, prices: [{ ...OWN.prices[0]!, output: 1 }] });
    expect(new Set([pinned.sha256, own.sha256, changed.sha256]).size).toBe(3);
    expect(createPrices(OWN).sha256).toBe(own.sha256);
  });

  it.each([
    [0n, 0n],
    [499_999n, 0n],
    [500_000n, 1n],
    [1_499_999n, 1n],
    [9_007_199_254_740_993_000_000n, 9_007_199_254_740_993n],
  ])('of %s picodollars are %s millionths of a dollar', (pico, micros) => {
    expect(toMicros(pico)).toBe(micros);
  });

  it('are read from a file', () => {
    expect(parsePriceFile(JSON.stringify(OWN))).toEqual(OWN);
  });

  it.each<[string, unknown]>([
    ['date', { ...OWN, date: 'today' }],
    ['prices must', { date: OWN.date }],
    ['prices[0] must', { ...OWN, prices: [null] }],
    ['prices[0].model', { ...OWN, prices: [{ provider: 'a', input: 1, output: 1 }] }],
    ['prices[0].output', { ...OWN, prices: [{ provider: 'a', model: 'b', input: 1 }] }],
    ['prices[0].input', { ...OWN, prices: [{ ...OWN.prices[0], input: 0.5 }] }],
    ['prices[0].input', { ...OWN, prices: [{ ...OWN.prices[0], input: -1 }] }],
    ['prices[0].cached is', { ...OWN, prices: [{ ...OWN.prices[0], cached: 1 }] }],
  ])('are refused if %s is invalid', (where, file) => {
    expect(() => parsePriceFile(JSON.stringify(file))).toThrow(where);
  });
});
