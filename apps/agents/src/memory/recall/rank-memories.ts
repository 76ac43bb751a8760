import type { Memory } from '../memory.ts';
import { toWords } from './to-words.ts';

const KEY_WEIGHT = 3;
/**
 * Strength of the length normalization (BM25's `b`), which is needed because long memories match
 * more words by chance.
 */
const LENGTH_SHARE = 0.75;

/**
 * Returns scores of the memories that share words with a text. Words are weighted by inverse
 * document frequency over the memories, so that function words of any language count little and
 * need no list.
 */
export function rankMemories(
  memories: readonly Memory[],
  text: string,
): ReadonlyMap<string, number> {
  const textWords = new Set(toWords(text));
  const documentFrequency = new Map<number, number>();
  let words = 0;
  const matches: { id: string; inKey: number[]; inValue: number[]; length: number }[] = [];
  for (const { id, keyNorm, value } of memories) {
    const key = toWords(keyNorm);
    const valueWords = toWords(value);
    const length = key.length + valueWords.length;
    words += length;
    const inKey = key.filter((word) => textWords.has(word));
    const inValue = valueWords.filter((word) => textWords.has(word) && !inKey.includes(word));
    if (inKey.length + inValue.length === 0) continue;
    matches.push({ id, inKey, inValue, length });
    for (const word of inKey) documentFrequency.set(word, (documentFrequency.get(word) ?? 0) + 1);
    for (const word of inValue) documentFrequency.set(word, (documentFrequency.get(word) ?? 0) + 1);
  }
  const weights = new Map(
    [...documentFrequency].map(([word, count]) => [word, rarityOf(count, memories.length)]),
  );
  const sum = (numbers: readonly number[]): number =>
    numbers.reduce((total, word) => total + weights.get(word)!, 0);
  const average = words / memories.length;
  return new Map(
    matches.map(({ id, inKey, inValue, length }) => {
      const shared = KEY_WEIGHT * sum(inKey) + sum(inValue);
      return [id, shared / (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / average)];
    }),
  );
}

/**
 * Returns an inverse document frequency that is positive even for a word in all memories (Robertson
 * and Zaragoza 2009, with Lucene's 1 +).
 */
const rarityOf = (documentFrequency: number, all: number): number =>
  Math.log(1 + (all - documentFrequency + 0.5) / (documentFrequency + 0.5));

/** Constant of reciprocal ranks (Cormack, Clarke, Buettcher 2009). */
const RANK_OFFSET = 60;

/**
 * Returns the relevance of each id, from 0 to 1: its reciprocal rank in a ranking, scaled to the
 * whole range; ids with equal scores share the best of their ranks. Ids without a score get 0, and
 * so do all if they are equally relevant.
 */
export function toRelevances(
  ids: readonly string[],
  ranking: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const ranked = ids
    .filter((id) => ranking.has(id))
    .sort((one, other) => ranking.get(other)! - ranking.get(one)!);
  const relevances = new Map(ids.map((id) => [id, 0]));
  let rank = 0;
  for (const [index, id] of ranked.entries()) {
    if (index === 0 || ranking.get(id) !== ranking.get(ranked[index - 1]!)) rank = index + 1;
    relevances.set(id, 1 / (RANK_OFFSET + rank));
  }
  const values = [...relevances.values()];
  const min = Math.min(...values);
  const spread = Math.max(...values) - min;
  for (const [id, value] of relevances) relevances.set(id, spread > 0 ? (value - min) / spread : 0);
  return relevances;
}
