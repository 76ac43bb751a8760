import { readFileSync } from 'node:fs';
import { PRODUCTS } from './templates.ts';

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
