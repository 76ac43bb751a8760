import type { Lists } from './lists.ts';
import type { Random } from './random.ts';

export type Names = Record<
  'given' | 'surname' | 'person' | 'city' | 'country' | 'place' | 'initial',
  () => string
>;

const HONORIFICS = 'Dr. |Mr. |Mrs. |Ms. |Prof. |Dr |Mr |Ms |Herr |Frau |Sir |Judge |Mme '.split(
  '|',
);
const PARTICLES = 'de|de la|van|van der|von|di|da|del|dos|bin|al|le'.split('|');

const HOMONYM_SHARE = 0.05;

const SENTENCE_STARTERS = (
  'Will|Mark|Grant|Bill|Rose|Chase|May|Pat|Drew|Frank|Jack|Rob|Sue|Art|Dawn|Faith|Hope|Joy|' +
  'Ray|Guy|Victor|Dean|Carol|Penny|Miles|Lance|Max|Basil|Cliff|Dale|Glen|Josh|Nick|Wade'
).split('|');

export const createNames = (lists: Lists, { pick, chance, integerBelow }: Random): Names => {
  const popularGivenNames = new Set(lists.popularGiven);
  const homonyms = [
    ...SENTENCE_STARTERS,
    ...lists.product.filter((product) => popularGivenNames.has(product)),
  ];
  const given = (): string => (chance(HOMONYM_SHARE) ? pick(homonyms) : usualGiven());
  const usualGiven = (): string =>
    pick(chance(0.4) ? lists.popularGiven : chance(0.7) ? lists.latinGiven : lists.given);
  const surname = (): string =>
    pick(chance(0.25) ? lists.popularSurname : chance(0.7) ? lists.latinSurname : lists.surname);
  const city = (): string =>
    pick(chance(0.3) ? lists.popularCity : chance(0.15) ? lists.town : lists.city);
  const country = (): string => pick(lists.place);
  const place = (): string => {
    const name = chance(0.5) ? city() : country();
    if (chance(0.06)) return `${name}, ${country()}`;
    return chance(0.05)
      ? `${pick(['North', 'South', 'West', 'East', 'New', 'Port', 'Lake', 'St.'])} ${name}`
      : name;
  };
  const initial = (): string => given().charAt(0).toUpperCase();
  const person = (): string => {
    const roll = integerBelow(100);
    if (roll < 48) return `${given()} ${surname()}`;
    if (roll < 56) return `${given()} ${initial()}${chance(0.5) ? '.' : ''} ${surname()}`;
    if (roll < 70) return given();
    if (roll < 75) return surname();
    if (roll < 79) return `${pick(HONORIFICS)}${chance(0.5) ? `${given()} ` : ''}${surname()}`;
    if (roll < 83) return `${given()} ${surname()}-${surname()}`;
    if (roll < 86) return `${given()} ${pick(PARTICLES)} ${surname()}`;
    if (roll < 89) return `${given()} ${given()} ${surname()}`;
    if (roll < 91) return `${given()}-${given()} ${surname()}`;
    if (roll < 93) return `${surname()}, ${given()}`;
    if (roll < 95) return `${initial()}. ${surname()}`;
    if (roll < 96) return `${given()} O'${surname()}`;
    if (roll < 98) return `${given()} ${surname()} ${surname()}`;
    return pick(lists.person);
  };
  return { given, surname, person, city, country, place, initial };
};
