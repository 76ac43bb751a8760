import { readFileSync } from 'node:fs';
import { createCharTable } from '../src/name/char-table.ts';
import { buildGazetteer, hashPair, LISTED, type Gazetteer } from '../src/name/gazetteer.ts';
import { FORM, hashWord, tokenize } from '../src/name/tokenize.ts';
import type { Example } from './examples.ts';

export type Lists = Record<
  | 'given'
  | 'surname'
  | 'person'
  | 'city'
  | 'town'
  | 'popularGiven'
  | 'popularSurname'
  | 'popularCity'
  | 'place'
  | 'street'
  | 'streetWord'
  | 'companySuffix'
  | 'org'
  | 'job'
  | 'demonym'
  | 'common'
  | 'latinGiven'
  | 'latinSurname'
  | 'commonCapital'
  | 'product',
  string[]
>;

export const readLists = (path: string | URL): Lists => {
  const raw = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  const lists = Object.fromEntries(
    Object.entries(raw).map(([name, text]) => [name, text.split('|')]),
  ) as Lists;
  const isPlain = (word: string): boolean => /^\p{Lu}[\p{Script=Latin}'-]{2,}$/u.test(word);
  lists.latinGiven = lists.given.filter(isPlain);
  lists.latinSurname = lists.surname.filter(isPlain);
  lists.person = lists.person.filter((name) => /^\p{Lu}.* \p{Lu}/u.test(name));
  lists.commonCapital = lists.common
    .filter((word) => /^[a-z]{3,9}$/.test(word))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  for (const name of ['popularGiven', 'popularSurname', 'popularCity'] as const)
    lists[name] = lists[name].map((word) => word.replaceAll(/(?<!\p{L})\p{L}/gu, upper));
  lists.city = lists.city.filter((word) => !/^[a-z]/.test(word));
  lists.place = lists.place.filter((word) => !/^[a-z]/.test(word) && !/^[A-Z]+$/.test(word));
  lists.product = [...PRODUCTS];
  return lists;
};

const upper = (letter: string): string => letter.toUpperCase();

const SLOTS = 262_144;

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

const PRODUCT = LISTED.street | LISTED.orgCue;

export const listWords = (
  lists: Lists,
  labelled: readonly Example[],
  nameless: readonly Example[] = [],
): Gazetteer => {
  const table = createCharTable();
  const words = new Map<number, number>();
  const add = (hash: number, bits: number): void => {
    words.set(hash, (words.get(hash) ?? 0) | bits);
  };
  const wordsOf = (text: string): number[] => {
    const { word, form, count } = tokenize(text, [], table);
    return Array.from({ length: count }, (_, index) => index)
      .filter((index) => form[index]! < FORM.punctuation)
      .map((index) => word[index]!);
  };
  const addAll = (names: readonly string[], bits: number, wholeBits = bits): void => {
    for (const name of names) {
      const parts = wordsOf(name);
      if (parts.length === 1) add(parts[0]!, wholeBits);
      else if (parts.length <= 4) {
        for (let index = 1; index < parts.length; index++)
          add(hashPair(parts[index - 1]!, parts[index]!), wholeBits);
        if (bits !== 0) for (const part of parts) add(part, bits);
      }
    }
  };
  const isLatin = (name: string): boolean => /^[\p{Script=Latin}\p{M}\s'.-]+$/u.test(name);
  addAll(lists.given, LISTED.given);
  addAll(lists.surname, LISTED.surname);
  addAll(lists.person, 0, LISTED.given | LISTED.surname);
  addAll(lists.city.filter(isLatin), 0, LISTED.place);
  addAll(lists.place.filter(isLatin), 0, LISTED.place);
  addAll(
    lists.streetWord.filter((word) => /^[\p{L}.]{2,}$/u.test(word)),
    LISTED.street,
  );
  addAll(lists.org, 0, LISTED.org);
  addAll(lists.companySuffix, LISTED.orgCue);
  addAll(ORG_CUES, LISTED.orgCue);
  addAll(lists.popularGiven, 0, LISTED.popular);
  addAll(lists.common, 0, LISTED.common);
  addAll(lists.product, 0, PRODUCT);
  const isUnlisted = (name: string): boolean => wordsOf(name).every((word) => !words.has(word));
  addAll(lists.town.filter(isUnlisted), 0, LISTED.place);
  for (const hash of commonWords(labelled)) add(hash, LISTED.common);
  // In texts without names, a listed word may be an identifier, so only unlisted words are marked
  // as common.
  for (const hash of commonWords(nameless)) if (!words.has(hash)) add(hash, LISTED.common);
  return buildGazetteer(words, SLOTS);
};

/** Returns hashes of the lower-case words that occur outside of names in at least two texts. */
const commonWords = (examples: readonly Example[]): number[] => {
  const table = createCharTable();
  const seen = new Map<string, number>();
  for (const { text, names } of examples) {
    const found = new Set<string>();
    for (const match of text.matchAll(/(?<![\p{L}\p{N}@#_/.])\p{Ll}{2,}(?![\p{N}@_/])/gu)) {
      const offset = match.index;
      if (!names.some(({ start, end }) => offset < end && offset + match[0].length > start))
        found.add(match[0]);
    }
    for (const word of found) seen.set(word, (seen.get(word) ?? 0) + 1);
  }
  return [...seen].filter(([, count]) => count > 1).map(([word]) => hashWord(word, table));
};

const readTemplates = (name: string): readonly string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(String.raw`\n`, '\n'));

/**
 * Sentences, forms and records with slots for values. Names: `{P}` person, `{G}` given name, `{S}`
 * surname, `{I}` initials, `{A}` address, `{T}` street, `{Z}` postal code, `{C}` place, `{O}`
 * organisation, `{L}` German court or authority. Not
 * names: `{J}` job, `{E}` e-mail, `{N}` phone, `{D}` date, `{#}` digits, `{n}` number, `{w}`,
 * `{W}`, `{Y}` words, `{i}` identifier, `{X}` acronym, `{h}` hex, `{K}` product, `{V}` eponym of a
 * law or an algorithm, `{B}` name of a bot. Slots with the same letter and digit, such as `{P1}`,
 * get the same value.
 */
export const TEMPLATES = readTemplates('templates.txt');

export const NAMELESS_TEXTS = readTemplates('nothing.txt');

/** Typical prompts without names. Lines such as `## code` are headings and are dropped. */
export const PROMPTS = readTemplates('prompts.txt').filter((line) => !/^## [a-z]+$/.test(line));

const PRODUCTS = readTemplates('products.txt').flatMap((line) => line.split('|'));
