export const toWordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Returns a map from each word to the value beside it in `entries`; the last entry wins. */
export const toWordMap = <T>(
  entries: readonly (readonly [value: T, words: string])[],
): ReadonlyMap<string, T> =>
  new Map(entries.flatMap(([value, words]) => words.split(' ').map((word) => [word, value])));

const toNumberedWords = (words: string, valueOf: (index: number) => number) =>
  new Map(words.split(' ').map((word, index) => [word, valueOf(index)]));

export const CARDINALS: ReadonlyMap<string, number> = toNumberedWords(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen ' +
    'sixteen seventeen eighteen nineteen',
  (index) => index,
);

export const TENS: ReadonlyMap<string, number> = toNumberedWords(
  'twenty thirty forty fifty sixty seventy eighty ninety',
  (index) => (index + 2) * 10,
);

export const ORDINALS: ReadonlyMap<string, number> = toNumberedWords(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth ' +
    'fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth',
  (index) => index + 1,
);

export const MAGNITUDES = toWordMap<number>([
  [12, 'dozen'],
  [100, 'hundred'],
  [1e3, 'thousand k K tsd'],
  [1e5, 'lakh'],
  [1e6, 'million millions m M mn mm MM mio Mio mln'],
  [1e7, 'crore'],
  [1e9, 'billion billions b B bn Bn mrd'],
  [1e12, 'trillion tn T'],
]);

export const COUNTABLE = toWordSet('dozen hundred thousand million billion trillion');

export const MULTIPLES = toWordMap<number>([
  [2, 'double doubles doubled doubling twice twofold'],
  [3, 'triple triples tripled tripling treble trebled thrice threefold'],
  [4, 'quadruple quadruples quadrupled quadrupling fourfold'],
  [5, 'quintuple quintupled quintupling fivefold'],
  [6, 'sextuple sextuples sextupled sextupling sixfold'],
  [7, 'septuple septuples septupled septupling sevenfold'],
  [8, 'octuple octuples octupled octupling eightfold'],
  [9, 'nonuple nonuples nonupled nonupling ninefold'],
  [10, 'decuple decuples decupled decupling tenfold'],
  [100, 'centuple centuples centupled centupling hundredfold'],
  [1_000, 'thousandfold'],
  [0.5, 'halve halves halved halving'],
]);

export const PARTS = toWordMap<number>([
  [3, 'third thirds'],
  [4, 'quarter quarters fourth fourths'],
  [5, 'fifth fifths'],
  [6, 'sixth sixths'],
  [8, 'eighth eighths'],
  [10, 'tenth tenths'],
]);

export const VAGUE = toWordSet(
  'dozens hundreds thousands millions billions trillions dozen hundred thousand million billion ' +
    'trillion percent pct millionfold manyfold magnitude magnitudes decade decades century ' +
    'centuries fortnight',
);

const DERIVED_FROM_TENS =
  /^(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)(?:y\p{L}|ies|ieth(?<!twentieth))/u;
const DERIVED_FROM_CARDINALS =
  /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion)(?:ish|some|ths)$/;

export const containsUnsupportedNumeral = (word: string): boolean =>
  DERIVED_FROM_TENS.test(word) || DERIVED_FROM_CARDINALS.test(word);

const FOREIGN = toWordSet(
  'cento cien ciento cientos cinco cinq cinquante cuatro deux dieci diez dois dos huit mil mila ' +
    'milhão milhões miliardi mille millones millón milioni milione neuf nove ocho percento ' +
    'porcento porciento pourcent quarante quatre tres trente trois três vingt',
);

export const isForeignNumeral = (word: string): boolean =>
  FOREIGN.has(word) || word.includes('cientos');

const GERMAN = toWordSet('acht doppelt millionen');
const GERMAN_STEMS = ['hundert', 'tausend', 'milliard', 'prozent', 'verdoppel'];
const GERMAN_BEGINNINGS = ['zwei', 'drei', 'fünf', 'sechs', 'sieben', 'neun', 'zehn'];

export const mayBeGermanNumeral = (word: string): boolean =>
  GERMAN.has(word) ||
  GERMAN_STEMS.some((stem) => word.includes(stem)) ||
  GERMAN_BEGINNINGS.some((beginning) => word.startsWith(beginning)) ||
  /(?:fach|zig)$/.test(word);
