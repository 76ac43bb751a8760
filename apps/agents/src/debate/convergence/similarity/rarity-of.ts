import { BLOCK_COUNT, DOCUMENT_COUNTS } from './document-counts.ts';

/**
 * Returns the inverse document frequency of an English term, ln((1 + N) / (1 + df)) + 1, from the
 * counts in `document-counts.ts`. The texts of the debate are not counted: terms of their common
 * topic would get almost no weight, and an additional participant would change the similarity of
 * two others.
 */
export const rarityOf = (term: string): number => RARITIES.get(term) ?? UNKNOWN_RARITY;

const toRarity = (count: number): number => Math.log((1 + BLOCK_COUNT) / (1 + count)) + 1;

const UNKNOWN_RARITY = toRarity(0);

const readRarities = (table: string): ReadonlyMap<string, number> => {
  const rarities = new Map<string, number>();
  let rarity = UNKNOWN_RARITY;
  for (const word of table.trim().split(/\s+/)) {
    if (word.endsWith(':')) rarity = toRarity(Number(word.slice(0, -1)));
    else rarities.set(word, rarity);
  }
  return rarities;
};

const RARITIES = readRarities(DOCUMENT_COUNTS);
