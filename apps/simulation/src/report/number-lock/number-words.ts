export const CARDINALS: ReadonlyMap<string, number> = new Map(
  [
    ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
    ['eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen'],
    ['nineteen'],
  ]
    .flat()
    .map((word, value) => [word, value]),
);

export const TENS: ReadonlyMap<string, number> = new Map(
  ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].map(
    (word, index) => [word, (index + 2) * 10],
  ),
);

export const ORDINALS: ReadonlyMap<string, number> = new Map(
  [
    ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'],
    ['tenth', 'eleventh', 'twelfth', 'thirteenth', 'fourteenth', 'fifteenth', 'sixteenth'],
    ['seventeenth', 'eighteenth', 'nineteenth', 'twentieth'],
  ]
    .flat()
    .map((word, index) => [word, index + 1]),
);

export const MAGNITUDES: ReadonlyMap<string, number> = new Map([
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1e3],
  ['k', 1e3],
  ['K', 1e3],
  ['tsd', 1e3],
  ['lakh', 1e5],
  ['million', 1e6],
  ['millions', 1e6],
  ['m', 1e6],
  ['M', 1e6],
  ['mn', 1e6],
  ['mm', 1e6],
  ['MM', 1e6],
  ['mio', 1e6],
  ['Mio', 1e6],
  ['mln', 1e6],
  ['crore', 1e7],
  ['billion', 1e9],
  ['billions', 1e9],
  ['b', 1e9],
  ['B', 1e9],
  ['bn', 1e9],
  ['Bn', 1e9],
  ['mrd', 1e9],
  ['trillion', 1e12],
  ['tn', 1e12],
  ['T', 1e12],
]);

export const COUNTABLE: ReadonlySet<string> = new Set([
  'dozen',
  'hundred',
  'thousand',
  'million',
  'billion',
  'trillion',
]);

function toMultiples(verb: string, value: number): (readonly [string, number])[] {
  return [verb, `${verb}s`, `${verb}d`, verb.replace(/e$/, 'ing')].map((word) => [word, value]);
}

export const MULTIPLES: ReadonlyMap<string, number> = new Map([
  ...['double', 'doubles', 'doubled', 'doubling', 'twice', 'twofold'].map(
    (word) => [word, 2] as const,
  ),
  ...['triple', 'triples', 'tripled', 'tripling', 'treble', 'trebled', 'thrice', 'threefold'].map(
    (word) => [word, 3] as const,
  ),
  ...['quadruple', 'quadruples', 'quadrupled', 'quadrupling', 'fourfold'].map(
    (word) => [word, 4] as const,
  ),
  ...['quintuple', 'quintupled', 'quintupling', 'fivefold'].map((word) => [word, 5] as const),
  ...toMultiples('sextuple', 6),
  ...toMultiples('septuple', 7),
  ...toMultiples('octuple', 8),
  ...toMultiples('nonuple', 9),
  ...toMultiples('decuple', 10),
  ...toMultiples('centuple', 100),
  ['sixfold', 6],
  ['sevenfold', 7],
  ['eightfold', 8],
  ['ninefold', 9],
  ['tenfold', 10],
  ['hundredfold', 100],
  ['thousandfold', 1_000],
  ...['halve', 'halves', 'halved', 'halving'].map((word) => [word, 0.5] as const),
]);

export const PARTS: ReadonlyMap<string, number> = new Map([
  ['third', 3],
  ['thirds', 3],
  ['quarter', 4],
  ['quarters', 4],
  ['fourth', 4],
  ['fourths', 4],
  ['fifth', 5],
  ['fifths', 5],
  ['sixth', 6],
  ['sixths', 6],
  ['eighth', 8],
  ['eighths', 8],
  ['tenth', 10],
  ['tenths', 10],
]);

export const VAGUE: ReadonlySet<string> = new Set([
  'dozens',
  'hundreds',
  'thousands',
  'millions',
  'billions',
  'trillions',
  'dozen',
  'hundred',
  'thousand',
  'million',
  'billion',
  'trillion',
  'percent',
  'pct',
  'millionfold',
  'manyfold',
  'magnitude',
  'magnitudes',
  'decade',
  'decades',
  'century',
  'centuries',
  'fortnight',
]);

const DERIVED_FROM_TENS =
  /^(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)(?:y\p{L}|ies|ieth(?<!twentieth))/u;
const DERIVED_FROM_CARDINALS =
  /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion)(?:ish|some|ths)$/;

export const containsUnsupportedNumeral = (word: string): boolean =>
  DERIVED_FROM_TENS.test(word) || DERIVED_FROM_CARDINALS.test(word);

const FOREIGN = new Set(
  [
    'cento cien ciento cientos cinco cinq cinquante cuatro deux dieci diez dois dos huit mil mila',
    'milhão milhões miliardi mille millones millón milioni milione neuf nove ocho percento',
    'porcento porciento pourcent quarante quatre tres trente trois três vingt',
  ]
    .join(' ')
    .split(' '),
);

export const isForeignNumeral = (word: string): boolean =>
  FOREIGN.has(word) || word.includes('cientos');

const GERMAN = new Set('acht doppelt millionen'.split(' '));
const GERMAN_STEMS = ['hundert', 'tausend', 'milliard', 'prozent', 'verdoppel'];
const GERMAN_BEGINNINGS = ['zwei', 'drei', 'fünf', 'sechs', 'sieben', 'neun', 'zehn'];

export const mayBeGermanNumeral = (word: string): boolean =>
  GERMAN.has(word) ||
  GERMAN_STEMS.some((stem) => word.includes(stem)) ||
  GERMAN_BEGINNINGS.some((beginning) => word.startsWith(beginning)) ||
  /(?:fach|zig)$/.test(word);
