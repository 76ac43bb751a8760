import { createHash } from 'node:crypto';
import { canonicalJson } from '@witan/proof';
import { PRICE_TABLE } from './price-table.ts';
import type { Price, PriceTable } from './price-table.ts';

export type TokenCounts = {
  promptTokens: bigint;
  completionTokens: bigint;
  /** Parts of `promptTokens`. */
  cachedTokens: bigint;
  cacheWriteTokens: bigint;
};

export type Prices = {
  date: string;
  /** Lower-case hex SHA-256 of the canonical JSON of all prices in force. */
  sha256: string;
  /** True if the operator's own prices take precedence. */
  hasOverrides: boolean;
  /** Returns the cost in picodollars, or undefined if the model has no price. */
  costOf: (model: { provider: string; model: string }, tokens: TokenCounts) => bigint | undefined;
};

/** Most models whose price is cached; names of models come from callers. */
const CACHED_MAX = 10_000;

/** Creates the prices of the pinned table; those of the operator take precedence over it. */
export const createPrices = (overrides: PriceTable = { date: '', prices: [] }): Prices => {
  const prices = [...overrides.prices, ...PRICE_TABLE.prices];
  const date = overrides.date || PRICE_TABLE.date;
  const matchers = prices.map((price) => ({ price, pattern: toPattern(price.model) }));
  const findPrice = (provider: string, model: string): Price | undefined =>
    matchers.find(({ price, pattern }) => price.provider === provider && pattern.test(model))
      ?.price;
  // A result of many groups prices few models, and comparing one with all patterns is slow.
  const cache = new Map<string, Price | undefined>();
  const findCached = (provider: string, model: string): Price | undefined => {
    const key = `${provider}\n${model}`;
    if (!cache.has(key)) {
      if (cache.size >= CACHED_MAX) cache.clear();
      cache.set(key, findPrice(provider, model));
    }
    return cache.get(key);
  };
  return {
    date,
    sha256: createHash('sha256').update(canonicalJson({ date, prices })).digest('hex'),
    hasOverrides: overrides.prices.length > 0,
    costOf: ({ provider, model }, tokens) => {
      const price = findCached(provider, model);
      return price && toPicodollars(price, tokens);
    },
  };
};

const PICO_PER_MICRO = 1_000_000n;

/** Returns millionths of a US dollar, rounded to the nearest, halves up. */
export const toMicros = (picodollars: bigint): bigint =>
  (picodollars + PICO_PER_MICRO / 2n) / PICO_PER_MICRO;

const toPicodollars = (
  { input, cachedInput = input, cacheWrite = input, output }: Price,
  { promptTokens, completionTokens, cachedTokens, cacheWriteTokens }: TokenCounts,
): bigint => {
  const plain = promptTokens - cachedTokens - cacheWriteTokens;
  return (
    // A provider that reports cached tokens beside the prompt must not lower the cost.
    (plain > 0n ? plain : 0n) * BigInt(input) +
    cachedTokens * BigInt(cachedInput) +
    cacheWriteTokens * BigInt(cacheWrite) +
    completionTokens * BigInt(output)
  );
};

const toPattern = (model: string): RegExp => {
  const parts = model.split('*').map((text) => text.replaceAll(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's');
};

/** Upper bound of a price: 1,000 US dollars per thousand tokens. */
const PRICE_MAX = 1_000_000_000_000;
const PRICES_MAX = 10_000;
const MEMBERS = ['input', 'cachedInput', 'cacheWrite', 'output'] as const;

/**
 * Parses the operator's price file, `{"date": "YYYY-MM-DD", "prices": [...]}` with prices as in the
 * pinned table. Throws an Error that names the first invalid member.
 */
export const parsePriceFile = (text: string): PriceTable => {
  const { date, prices } = JSON.parse(text) as Partial<PriceTable>;
  if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(date)) {
    throw new Error('date must be a day, YYYY-MM-DD');
  }
  if (!Array.isArray(prices) || prices.length > PRICES_MAX) {
    throw new Error(`prices must be a list of at most ${PRICES_MAX} prices`);
  }
  return { date, prices: prices.map((price: unknown, index) => readPrice(price, index)) };
};

const readPrice = (value: unknown, index: number): Price => {
  const where = `prices[${index}]`;
  if (typeof value !== 'object' || value === null) throw new Error(`${where} must be an object`);
  const price = value as Record<string, unknown>;
  for (const name of ['provider', 'model']) {
    const text = price[name];
    if (typeof text !== 'string' || text === '') throw new Error(`${where}.${name} must be a text`);
  }
  for (const name of MEMBERS) {
    const number = price[name];
    const isOptional = name === 'cachedInput' || name === 'cacheWrite';
    if (number === undefined && isOptional) continue;
    if (!Number.isInteger(number) || Number(number) < 0 || Number(number) > PRICE_MAX) {
      throw new Error(`${where}.${name} must be an integer, 0 to ${PRICE_MAX} picodollars a token`);
    }
  }
  const names = ['provider', 'model', ...MEMBERS];
  const unknown = Object.keys(price).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`${where}.${unknown} is unknown`);
  return price as Price;
};
