import type { Lists } from './lists.ts';
import type { Random } from './random.ts';

export type Names = Record<
  'given' | 'surname' | 'person' | 'city' | 'country' | 'place' | 'initial' | 'initials',
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

/** Share of drawn words that are on no list, so that the model does not rely on the lists alone. */
const UNLISTED_SHARE = 0.08;
const LATIN_WORD = /^\p{Lu}\p{Ll}{3,}$/u;

/**
 * Returns a function that draws a word and sometimes replaces it by an unlisted one: its first half
 * and the second half of another.
 */
export const createBlender =
  ({ chance }: Pick<Random, 'chance'>) =>
  (draw: () => string): string => {
    const word = draw();
    if (!chance(UNLISTED_SHARE)) return word;
    const otherWord = draw();
    const blend =
      word.slice(0, Math.ceil(word.length / 2)) + otherWord.slice(otherWord.length >> 1);
    return LATIN_WORD.test(blend) ? blend : word;
  };

export const createNames = (lists: Lists, { pick, chance, integerBelow }: Random): Names => {
  const popularGivenNames = new Set(lists.popularGiven);
  const homonyms = [
    ...SENTENCE_STARTERS,
    ...lists.product.filter((product) => popularGivenNames.has(product)),
  ];
  const sometimesUnlisted = createBlender({ chance });
  const given = (): string =>
    chance(HOMONYM_SHARE) ? pick(homonyms) : sometimesUnlisted(usualGiven);
  const usualGiven = (): string =>
    pick(chance(0.4) ? lists.popularGiven : chance(0.7) ? lists.latinGiven : lists.given);
  const surname = (): string => sometimesUnlisted(usualSurname);
  const usualSurname = (): string =>
    pick(chance(0.25) ? lists.popularSurname : chance(0.7) ? lists.latinSurname : lists.surname);
  const city = (): string => sometimesUnlisted(usualCity);
  const usualCity = (): string =>
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
  const initials = (): string => {
    const mark = chance(0.6) ? '.' : '';
    return `${initial()}${mark}${chance(0.2) ? ` ${initial()}${mark}` : ''}`;
  };
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
  return { given, surname, person, city, country, place, initial, initials };
};

export type Noise = Record<
  'word' | 'capital' | 'identifier' | 'hex' | 'number' | 'acronym',
  () => string
>;

const UNITS = 'id ms at key ref url min max sha md5 v1 v2 db ip ts uid utf8 sha1 http api ui'.split(
  ' ',
);

const ACRONYMS = (
  'ATM PIN PDF CEO CTO HR FAQ ID PII GDPR API URL SMS VAT TAX OTP CVV ETA FYI ASAP DIY ' +
  'GPS TV CPU GPU RAM SSD USB LED HTML CSS XML CSV AWS S3 VM SQL SDK IDE PR QA UX UI ' +
  'KPI ROI B2B SaaS IBAN BIC SSN DOB EUR USD GBP AM PM MRI ECG ICU DNA HIV OK NOT AND ' +
  'THE ALL NEW ISO RFC UTC GMT UUID JWT CLI GUI TCP UDP SSH REST CRUD ORM MVC YAML TOML ' +
  'ASCII UTF ACID DAG DOM EOF FIFO LRU POSIX REPL SOAP SLA SLO OKR NDA ERP CRM EBIT SWOT ' +
  'RACI MVP WCAG IEEE ANSI BSD MIT GNU LLM RAG OCR TTS'
).split(' ');

export const createNoise = (lists: Lists, { pick, chance, integerBelow }: Random): Noise => {
  const words = lists.commonCapital.map((word) => word.toLowerCase());
  const word = (): string => (chance(0.12) ? pick(UNITS) : pick(words));
  const capital = (): string => pick(lists.commonCapital);
  const identifier = (): string => {
    const roll = integerBelow(5);
    if (roll === 0) return word() + capital();
    if (roll === 1) return `${word()}_${word()}`;
    if (roll === 2) return `${word()}_${pick(UNITS)}`;
    if (roll === 3) return word() + pick(['Id', 'At', 'Url', 'Count', 'Type', 'Key', 'Map']);
    return word();
  };
  const digits = (count: number): string =>
    Array.from({ length: count }, () => integerBelow(10)).join('');
  const hex = (): string =>
    Array.from({ length: pick([8, 12, 16, 32, 40, 64]) }, () => integerBelow(16).toString(16)).join(
      '',
    );
  const number = (): string => {
    const roll = integerBelow(6);
    if (roll === 0) return `${1 + integerBelow(99)},${digits(3)},${digits(3)}`;
    if (roll === 1) return `${1 + integerBelow(99)}.${digits(3)},${digits(2)}`;
    if (roll === 2) return `${1 + integerBelow(9)} ${digits(3)} ${digits(3)},${digits(2)}`;
    if (roll === 3) return `${integerBelow(99)}.${digits(1 + integerBelow(9))}`;
    return roll === 4 ? `$${digits(3)}.${digits(2)}` : digits(1 + integerBelow(10));
  };
  const acronym = (): string => pick(ACRONYMS);
  return { word, acronym, capital, identifier, hex, number };
};
