import { BLOCK_COUNT, DOCUMENT_COUNTS } from './document-counts.ts';

/**
 * How rare a term is in English: the inverse document frequency ln((1 + N) / (1 + df)) + 1 by
 * counts that are shipped (C2). Never by the texts of a debate: what all of them speak about would
 * say nothing, and who joins would change how like two others are.
 */
export const rarityOf = (term: string): number => RARITIES.get(term) ?? UNKNOWN;

const toRarity = (count: number): number => Math.log((1 + BLOCK_COUNT) / (1 + count)) + 1;

const UNKNOWN = toRarity(0);

/** "28: oak elm 27: ash" as the rarities of oak, elm and ash. */
const readRarities = (table: string): ReadonlyMap<string, number> => {
  const rarities = new Map<string, number>();
  let rarity = UNKNOWN;
  for (const word of table.trim().split(/\s+/)) {
    if (word.endsWith(':')) rarity = toRarity(Number(word.slice(0, -1)));
    else rarities.set(word, rarity);
  }
  return rarities;
};

const RARITIES = readRarities(DOCUMENT_COUNTS);
