import type { Lists } from './lists.ts';
import type { Names } from './names.ts';
import type { Random } from './random.ts';

const US_STREET = (
  'Street|St|St.|Avenue|Ave|Ave.|Road|Rd|Rd.|Lane|Ln|Drive|Dr|Dr.|Court|Ct|Boulevard|' +
  'Blvd|Blvd.|Way|Place|Pl|Terrace|Circle|Parkway|Highway|Square|Trail|Close|Crescent|' +
  'Gardens|Row|Mews|Heights|Loop|Alley|Parks|Coves|Gateway|Junction|Ridge|Meadows|Green|' +
  'Hill'
).split('|');
const EU_STREET = (
  '{l}straße|{l}str.|{l}strasse|{l}weg|{l}gasse|{l}platz|{l}allee|{g}-{l}-Straße|Am {c}|' +
  '{l}straat|{l}laan|{l}weg|{l}gade|{l}vej|{l}vägen|{l}gatan|{l}gata|{l}vegen|{l}veien|' +
  '{l}katu|{l}tie|{l} tér|{l} utca|{l} út|ul. {l}|ulica {l}|{l}ova|Rua {g} {l}|Avenida ' +
  '{l}|Calle {g} {l}|Calle {l}|C/ {l}|Plaza {l}|Paseo de {c}|Rue {g} {l}|rue de {c}|' +
  'Avenue {g} {l}|avenue {l}|Boulevard {l}|place {l}|Via {g} {l}|Via {l}|Viale {l}|' +
  'Corso {l}|Strada {l}|Str. {l}|Λ. {l}|{l} Cad.|{l} Sokak|Avenue de {c}|Rua de {c}|' +
  'Largo {l}|Piazza {l}|{l}gränd|{l}stræde|{l}ring|{l}damm|{l}ufer|{l} sétány'
).split('|');
const US_STATES = (
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV ' +
  'NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC ON BC QC AB NSW ' +
  'VIC QLD'
).split(' ');
const UNITS = (
  'Apt. #|Apt #|Suite #|Ste #|Unit #|Apartment #|Floor #|# floor|#. OG|Box #|Flat #|' +
  'Room #|P.O. Box #|Stiege #'
).split('|');
const ORDINALS =
  'First|Second|Third|Fourth|Fifth|1st|2nd|3rd|5th|9th|42nd|North|South|E 12th|W 4th'.split('|');
const BOXES = 'P.O. Box |PO Box |Postfach |Postbox |Apartado |BP '.split('|');

export const createZips = ({ initial }: Names, { pick, integerBelow }: Random): (() => string) => {
  const zip = (): string => {
    const roll = integerBelow(10);
    if (roll < 5) return String(10_000 + integerBelow(89_999));
    if (roll < 6) return `${10_000 + integerBelow(89_999)}-${1000 + integerBelow(8999)}`;
    if (roll < 7) return String(1000 + integerBelow(8999));
    if (roll < 8)
      return (
        `${initial()}${initial()}${1 + integerBelow(20)} ` +
        `${1 + integerBelow(9)}${initial()}${initial()}`
      );
    if (roll < 9) return `${1000 + integerBelow(8999)} ${initial()}${initial()}`;
    return pick([
      `${100 + integerBelow(899)} ${10 + integerBelow(89)}`,
      `${10 + integerBelow(89)}-${100 + integerBelow(899)}`,
      `${initial()}${integerBelow(10)}${initial()} ` +
        `${integerBelow(10)}${initial()}${integerBelow(10)}`,
      String(100 + integerBelow(899)),
    ]);
  };
  return zip;
};

export const createStreets = (
  lists: Lists,
  { given, surname, city }: Names,
  { pick, chance, integerBelow }: Random,
): (() => string) => {
  const number = (digits: number): string => String(integerBelow(10 ** digits - 1) + 1);
  const fillForm = (form: string): string =>
    form.replaceAll(/\{(\w)\}/g, (_, key: string) =>
      key === 'c' ? city() : key === 'l' ? surname() : given(),
    );
  const usStreet = (): string => {
    const head = chance(0.15)
      ? pick(ORDINALS)
      : chance(0.6)
        ? surname()
        : chance(0.5)
          ? given()
          : pick(lists.commonCapital);
    return `${head} ${pick(US_STREET)}`;
  };
  const textOrEmpty = (probability: number, text: string): string =>
    chance(probability) ? text : '';
  const euStreet = (): string => (chance(0.35) ? pick(lists.street) : fillForm(pick(EU_STREET)));
  const unit = (): string => pick(UNITS).replace('#', number(3));
  const street = (): string => {
    const letter = textOrEmpty(0.06, pick(['a', 'b', ' B', 'c', '-12']));
    const building = number(pick([1, 2, 2, 3, 3, 4, 5])) + letter;
    const roll = integerBelow(100);
    if (roll < 40)
      return `${building} ${usStreet()}${textOrEmpty(0.3, pick([' ', ', ', '\n ']) + unit())}`;
    if (roll < 62)
      return euStreet() + pick([' ', ' ', ', ']) + building + textOrEmpty(0.15, `, ${unit()}`);
    if (roll < 80) {
      const end = textOrEmpty(0.4, pick([' ', '\n ']) + unit());
      return `${building} ${euStreet()}${textOrEmpty(0.5, ` ${number(2)}`)}${end}`;
    }
    if (roll < 84) return `${pick(BOXES)}${number(pick([2, 3, 4]))}`;
    if (roll < 87) return `Unit ${number(4)} Box ${number(4)}`;
    if (roll < 92) {
      const first = chance(0.5) ? usStreet() : `${euStreet()} ${number(2)}`;
      return `the corner of ${first} and ${chance(0.5) ? usStreet() : euStreet()}`;
    }
    return `${building} ${city()} ${pick(US_STREET)}`;
  };
  return street;
};

export const createAddresses = (
  street: () => string,
  zip: () => string,
  { city, country }: Names,
  { pick, chance, integerBelow }: Random,
): (() => string) => {
  const address = (): string => {
    const roll = integerBelow(100);
    const gap = pick([', ', ', ', '\n', '\n ', ' ', '\n   ', ',\n']);
    if (roll < 22) return street();
    if (roll < 52) {
      const state = chance(0.8) ? pick(US_STATES) : pick(['nan', country()]);
      const end = pick([' ', ' ', '\n ', ', ']) + zip();
      return street() + gap + city() + pick([', ', ', ', ' ', '\n, ']) + state + end;
    }
    if (roll < 72)
      return `${street()}${gap}${zip()} ${city()}${chance(0.25) ? `${gap}${country()}` : ''}`;
    if (roll < 84) {
      const end = country() + (chance(0.7) ? ` ${zip()}` : '');
      return street() + gap + city() + pick(['\n', ', ', ' ', '\n ']) + end;
    }
    if (roll < 94) return `${street()}${gap}${city()}${chance(0.3) ? `, ${country()}` : ''}`;
    return `${pick(['DPO', 'APO', 'FPO', 'PSC'])} ${pick(['AP', 'AE', 'AA'])} ${zip()}`;
  };
  return address;
};
