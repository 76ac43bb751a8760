import type { LockWords } from './word-set.ts';
import { isForeignNumeral } from './number-words.ts';
import { toBeginnings, toCounts, toWordSet } from './word-set.ts';

/**
 * Returns the English words with the German ones added. Amounts in German texts must be in digits:
 * a German number word is always an error.
 */
export const germanWords = (english: LockWords): LockWords => ({
  magnitudes: new Map([...english.magnitudes, ...MAGNITUDES]),
  counts: new Map([...english.counts, ...COUNTS]),
  turnNouns: toWordSet('runde runden quartal quartale quartalen jahr jahre jahren q t'),
  nounSearchEnds: new Set([
    ...english.nounSearchEnds,
    ...toWordSet(
      'ab als am an auf aus bei beim bis das dem den der des die ein eine einem einen einer',
    ),
    ...toWordSet(
      'für im in je jede jedem mit nach oder pro seit sowie um und unter von vor während zu',
    ),
    ...toWordSet('zum zur über'),
  ]),
  percent: toWordSet('prozent percent prozentpunkt prozentpunkte prozentpunkten'),
  points: english.points,
  basisPoints: toWordSet('bps bp basispunkt basispunkte basispunkten'),
  times: toWordSet('x × mal fach fache fachen faches'),
  signs: toWordSet('minus negativ'),
  isUnreadable: (word) => isForeignNumeral(word) || isGermanNumeral(word),
  joined: /^\s*(?:,|-|–|—|bis|und|oder|,\s*und)\s*$/u,
  ...DIRECTIONS,
  clauseEnd: /[.;:!?,](?=\s|$)|\b(?:während|aber|und|obwohl|jedoch|doch|sondern)\b/giu,
});

/** Override the English magnitudes: German "Billion" is 1e12 and "Trillion" is 1e18. */
const MAGNITUDES = new Map<string, number>([
  ...(['billion', 'billionen', 'Billion', 'Billionen', 'bio', 'Bio'] as const).map(
    (word) => [word, 1e12] as const,
  ),
  ...(['trillion', 'trillionen', 'Trillion', 'Trillionen'] as const).map(
    (word) => [word, 1e18] as const,
  ),
  ...(['milliarde', 'milliarden'] as const).map((word) => [word, 1e9] as const),
  ...(['million', 'millionen'] as const).map((word) => [word, 1e6] as const),
  ['tausend', 1e3],
]);

const COUNTS = toCounts([
  ['monat monate monaten monats', ['months']],
  ['runde runden quartal quartale quartalen jahr jahre jahren', ['turns', 'turn']],
  ['mitarbeiter mitarbeitern mitarbeitende mitarbeitenden personen menschen', ['people']],
  ['beschäftigte beschäftigten beschäftigter stellen leute', ['people']],
  ['szenario szenarien szenarios', ['scenarios']],
  ['agent agenten berater beratern', ['agents']],
  ['ereignis ereignisse ereignissen schock schocks', ['events']],
]);

const DIRECTIONS = {
  rise: toBeginnings(
    ...['(?:ge|an)?st[ie]{1,2}g(?:t|en|e|st)?', 'steig\\p{L}*', 'w[uä]chs\\p{L}*', 'wachs\\p{L}*'],
    ...['gewachsen\\p{L}*', 'angestiegen', 'erhöh\\p{L}*', 'zunahm\\p{L}*', 'zunehm\\p{L}*'],
    ...[
      'anstieg\\p{L}*',
      'zuwachs\\p{L}*',
      'gewann\\p{L}*',
      'gewonnen',
      'verbesser\\p{L}*',
      'plus',
    ],
  ),
  fall: toBeginnings(
    ...['fiel\\p{L}*', 'fäll\\p{L}*', '(?:ge)?fallen', 'sank\\p{L}*', 'sink\\p{L}*', 'gesunken'],
    ...[
      'schrumpf\\p{L}*',
      'geschrumpft',
      'verl[io][eo]?r\\p{L}*',
      'verlust\\p{L}*',
      'rückgang\\p{L}*',
    ],
    ...['zurück\\p{L}*', 'abnahm\\p{L}*', 'ab', 'senk\\p{L}*', 'gesenkt', 'kürz\\p{L}*', 'gekürzt'],
    ...['verringer\\p{L}*', 'reduzier\\p{L}*', 'negativ\\p{L}*', 'minus', 'einbuß\\p{L}*'],
  ),
  loss: toBeginnings(
    ...[
      'verl[io][eo]?r\\p{L}*',
      'verlust\\p{L}*',
      'negativ\\p{L}*',
      'minus',
      'fehl\\p{L}*',
      'unter',
    ],
    ...['defizit\\p{L}*', 'schuld\\p{L}*', 'abfl[uo]ss\\p{L}*', 'abfluss', 'rote\\p{L}*'],
  ),
};

const ONES = 'zwei|zwo|drei|vier|fünf|fuenf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwoelf';
const PARTS = `eins?|${ONES}|sech|sieb|zwanzig|drei(?:ß|ss)ig|zig|und|hundert|tausend`;
const ENDINGS = 'e|en|er|es|fach|fache|fachen|faches|mal|tel|teln|stel|steln|stellig\\p{L}*';

const NUMERAL = new RegExp(
  `^(?=.*(?:${ONES}|zig|hundert|tausend|ßig|ssig))(?:${PARTS})+(?:${ENDINGS})?$`,
  'u',
);
const OTHER_AMOUNT_WORDS = new RegExp(
  `^(?:${[
    '(?:ver|ge)?doppel\\p{L}*|ver(?:drei|vier|fünf|zehn|hundert)fach\\p{L}*|halbier\\p{L}*|hälften?',
    'halb(?:e[nrsm]?)?|\\p{L}*(?:anderthalb|einhalb)\\p{L}*|(?:drit|vier|fünf|ach|zehn)tel[ns]?',
    'dutzend\\p{L}*|null|millionen\\p{L}*|milliarden?\\p{L}*|jahrzehnte?n?s?|jahrhundert\\p{L}*',
    '\\p{L}*prozent\\p{L}*|(?:dritt|viert|fünft|sechst|siebt|neunt|zehnt|elft|zwölft)e[nrsm]?',
  ].join('|')})$`,
  'u',
);
/**
 * Words that are not read as amounts: ordinals that structure a text, and words that resemble
 * number words.
 */
const IGNORED_WORDS = /^(?:erste|zweite|achte|einzige?)[nrsm]?$/u;

const isGermanNumeral = (word: string): boolean =>
  !IGNORED_WORDS.test(word) && (NUMERAL.test(word) || OTHER_AMOUNT_WORDS.test(word));
