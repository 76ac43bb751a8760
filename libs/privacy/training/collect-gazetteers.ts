/**
 * Writes `gazetteers.json` from packages that are not dependencies: `node
 * training/collect-gazetteers.ts PACKAGES CORPORA RANDOM_NAME OUT`. PACKAGES is a node_modules
 * folder with @faker-js/faker and compromise; CORPORA and RANDOM_NAME are checkouts of
 * dariusk/corpora and dominictarr/random-name. README.md lists versions and licences.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages = '', corpora = '', randomName = '', out = ''] = process.argv.slice(2);

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
};

const textsUnderKey = (value: unknown, key: string): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name === key ? textsIn(part) : textsUnderKey(part, key),
  );
};

const load = async (...parts: string[]): Promise<unknown> =>
  import(pathToFileURL(join(packages, ...parts)).href);

const corpus = (path: string): unknown =>
  JSON.parse(readFileSync(join(corpora, 'data', `${path}.json`), 'utf8'));

const list = (path: string, key?: string): string[] =>
  key === undefined
    ? Object.entries(corpus(path) as object).flatMap(([name, part]) =>
        /descri|source/.test(name) ? [] : textsIn(part),
      )
    : textsUnderKey(corpus(path), key);

const lines = (path: string): string[] =>
  readFileSync(join(randomName, path), 'utf8').split(/\r?\n/);

type Locale = Record<'person' | 'location' | 'company', Record<string, unknown> | undefined>;

const faker = (await load('@faker-js/faker', 'dist', 'index.js')) as {
  allLocales: Record<string, Locale>;
};
const locales = Object.entries(faker.allLocales);
const inFaker = (part: keyof Locale, ...keys: string[]): string[] =>
  locales.flatMap(([, locale]) => keys.flatMap((key) => textsIn(locale[part]?.[key])));

const compromise = (await load('compromise', 'src', 'three.js')) as {
  default: { model(): { one: { lexicon: Record<string, string | string[]> } } };
};
const lexicon = Object.entries(compromise.default.model().one.lexicon);
const tagged = (...tags: string[]): string[] =>
  lexicon
    .filter(([, tag]) => tags.includes((typeof tag === 'string' ? tag : tag.at(-1)) ?? ''))
    .map(([word]) => word);
const COMMON =
  'Adjective Noun Expression Duration Singular Unit PastTense Month Date Conjunction Pronoun ' +
  'PresentTense Reflexive Possessive Comparative Superlative Determiner Modal Participle Gerund ' +
  'Plural QuestionWord Uncountable Infinitive Preposition WeekDay Adverb Verb Cardinal Ordinal';

const clean = (words: string[], maxLength = 60): string[] =>
  [...new Set(words.map((word) => word.normalize('NFC').trim()))]
    .filter((word) => word.length > 1 && word.length <= maxLength && !/[{}\d"\\]/.test(word))
    .toSorted((a, b) => (a < b ? -1 : 1));

const people = ['celebrities', 'britishActors', 'scientists', 'wrestlers'];
const teams = ['nba_teams', 'nfl_teams', 'mlb_teams', 'nhl_teams'];
const football = ['epl_teams', 'laliga_teams', 'serieA'];
const name = (key: string): string[] => inFaker('person', key);

const gazetteers = {
  given: clean([
    ...name('first_name'),
    ...lines('first-names.txt'),
    ...tagged('MaleName', 'FemaleName', 'FirstName'),
    ...list('humans/firstNames'),
    ...list('humans/norwayFirstNamesBoys'),
    ...list('humans/norwayFirstNamesGirls'),
    ...list('humans/spanishFirstNames'),
  ]),
  surname: clean([
    ...name('last_name'),
    ...lines('names.txt'),
    ...tagged('LastName'),
    ...list('humans/lastNames'),
    ...list('humans/norwayLastNames'),
    ...list('humans/spanishLastNames'),
    ...list('humans/authors'),
  ]),
  person: clean([
    ...people.flatMap((file) => list(`humans/${file}`)),
    ...list('humans/richpeople', 'name'),
    ...tagged('Person'),
  ]),
  city: clean([
    ...inFaker('location', 'city_name', 'city'),
    ...tagged('City'),
    ...list('geography/us_cities', 'city'),
    ...list('geography/english_towns_cities'),
    ...list('geography/norwegian_cities', 'city'),
    ...list('geography/canadian_municipalities', 'name'),
    ...list('geography/countries_with_capitals', 'capital'),
  ]),
  town: clean(lines('places.txt')),
  popularGiven: clean([
    ...tagged('MaleName', 'FemaleName', 'FirstName'),
    ...list('humans/firstNames'),
  ]),
  popularSurname: clean([...tagged('LastName'), ...list('humans/lastNames')]),
  popularCity: clean([
    ...tagged('City', 'Country', 'Region'),
    ...list('geography/us_cities', 'city'),
    ...list('geography/countries_with_capitals'),
  ]),
  place: clean([
    ...inFaker('location', 'country', 'state', 'county', 'continent'),
    ...tagged('Country', 'Region', 'Place'),
    ...list('geography/countries_with_capitals', 'name'),
    ...list('geography/rivers', 'name'),
    ...list('geography/sf_neighborhoods', 'name'),
    ...list('geography/us_counties', 'counties'),
  ]),
  street: clean(inFaker('location', 'street_name')),
  streetWord: clean([...inFaker('location', 'street_suffix', 'street_prefix')], 16),
  companySuffix: clean(inFaker('company', 'legal_entity_type', 'prefix'), 24),
  org: clean([
    ...tagged('Organization', 'SportsTeam'),
    ...list('corporations/fortune500'),
    ...list('corporations/nasdaq', 'name'),
    ...list('corporations/newspapers'),
    ...list('corporations/charities'),
    ...list('corporations/cars'),
    ...list('governments/us_federal_agencies'),
    ...teams.flatMap((file) => list(`sports/${file}`, 'name')),
    ...football.flatMap((file) => list(`sports/football/${file}`, 'name')),
    ...list('music/rock_hall_of_fame', 'name'),
  ]),
  job: clean(list('humans/occupations')),
  demonym: clean([...tagged('Demonym'), ...list('geography/nationalities')]),
  common: clean([...tagged(...COMMON.split(' ')), ...list('words/common')]),
};
for (const [key, words] of Object.entries(gazetteers)) console.log(key, words.length);
const rows = Object.entries(gazetteers).map(
  ([key, words]) => `${JSON.stringify(key)}: ${JSON.stringify(words.join('|'))}`,
);
writeFileSync(out, `{\n${rows.join(',\n')}\n}\n`);
