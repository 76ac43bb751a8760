import { createCharTable } from '../src/name/char-table.ts';
import { buildGazetteer, hashPair, LISTED, type Gazetteer } from '../src/name/gazetteer.ts';
import { FORM, hashWord, tokenize } from '../src/name/tokenize.ts';
import type { Example } from './examples.ts';
import type { Lists } from './lists.ts';

/** Slots of the shipped table. */
const SLOTS = 262_144;

/** Words that say that the name around them is an organisation's. */
const ORG_CUES = (
  'university college school institute institut bank hospital clinic council committee ' +
  'ministry department agency association union party foundation society club fc ' +
  'company group inc ltd llc plc corp corporation gmbh ag kg ohg ug holdings partners ' +
  'associates industries technologies systems solutions airlines airways motors records ' +
  'studios press times post news network church court gericht landgericht amtsgericht ' +
  'bundesgerichtshof oberlandesgericht universität sparkasse verein verband team united ' +
  'city band orchestra museum theatre library police army navy senate congress ' +
  'parliament commission authority board'
).split(' ');

/** Bits that no other list gives together: a product, whoever else has its name. */
const PRODUCT = LISTED.street | LISTED.orgCue;

/** The shipped word table: the lists, and words that are common in the texts and name nothing. */
export const listWords = (
  lists: Lists,
  plain: readonly Example[],
  nameless: readonly Example[] = [],
): Gazetteer => {
  const table = createCharTable();
  const words = new Map<number, number>();
  const put = (hash: number, bits: number): void => {
    words.set(hash, (words.get(hash) ?? 0) | bits);
  };
  const wordsOf = (text: string): number[] => {
    const { word, form, count } = tokenize(text, [], table);
    return Array.from({ length: count }, (_, at) => at)
      .filter((at) => form[at]! < FORM.punctuation)
      .map((at) => word[at]!);
  };
  const putAll = (names: readonly string[], bits: number, whole = bits): void => {
    for (const name of names) {
      const parts = wordsOf(name);
      if (parts.length === 1) put(parts[0]!, whole);
      else if (parts.length <= 4) {
        for (let at = 1; at < parts.length; at++) put(hashPair(parts[at - 1]!, parts[at]!), whole);
        if (bits !== 0) for (const part of parts) put(part, bits);
      }
    }
  };
  const isWide = (name: string): boolean => /^[\p{Script=Latin}\p{M}\s'.-]+$/u.test(name);
  putAll(lists.given, LISTED.given);
  putAll(lists.surname, LISTED.surname);
  putAll(lists.person, 0, LISTED.given | LISTED.surname);
  putAll(lists.city.filter(isWide), 0, LISTED.place);
  putAll(lists.place.filter(isWide), 0, LISTED.place);
  putAll(
    lists.streetWord.filter((word) => /^[\p{L}.]{2,}$/u.test(word)),
    LISTED.street,
  );
  putAll(lists.org, 0, LISTED.org);
  putAll(lists.companySuffix, LISTED.orgCue);
  putAll(ORG_CUES, LISTED.orgCue);
  putAll(lists.popularGiven, 0, LISTED.popular);
  putAll(lists.common, 0, LISTED.common);
  putAll(lists.product, 0, PRODUCT);
  const isNew = (name: string): boolean => wordsOf(name).every((word) => !words.has(word));
  putAll(lists.town.filter(isNew), 0, LISTED.place);
  for (const hash of plainWords(plain)) put(hash, LISTED.common);
  // Names serve as identifiers, too: only words that no list has are common for being in code.
  for (const hash of plainWords(nameless)) if (!words.has(hash)) put(hash, LISTED.common);
  return buildGazetteer(words, SLOTS);
};

/** Lower-case words outside names, in two texts at least. */
const plainWords = (examples: readonly Example[]): number[] => {
  const table = createCharTable();
  const seen = new Map<string, number>();
  for (const { text, names } of examples) {
    const found = new Set<string>();
    for (const match of text.matchAll(/(?<![\p{L}\p{N}@#_/.])\p{Ll}{2,}(?![\p{N}@_/])/gu)) {
      const at = match.index;
      if (!names.some(({ start, end }) => at < end && at + match[0].length > start))
        found.add(match[0]);
    }
    for (const word of found) seen.set(word, (seen.get(word) ?? 0) + 1);
  }
  return [...seen].filter(([, count]) => count > 1).map(([word]) => hashWord(word, table));
};
