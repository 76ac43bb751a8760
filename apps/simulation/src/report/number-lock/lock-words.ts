import type { FigureUnit } from '../create-format-number.ts';
import type { Language } from '../language.ts';
import {
  isForeignNumeral,
  MAGNITUDES,
  mayBeGermanNumeral,
  toWordMap,
  toWordSet,
} from './number-words.ts';

export type LockWords = {
  magnitudes: ReadonlyMap<string, number>;
  /** Units of the figures that a noun counts; empty if no figure has such a unit. */
  counts: ReadonlyMap<string, readonly FigureUnit[]>;
  turnNouns: ReadonlySet<string>;
  /** Words, such as prepositions, at which the search for the noun that an amount counts ends. */
  nounSearchEnds: ReadonlySet<string>;
  percent: ReadonlySet<string>;
  points: ReadonlySet<string>;
  basisPoints: ReadonlySet<string>;
  times: ReadonlySet<string>;
  signs: ReadonlySet<string>;
  isUnreadable: (word: string) => boolean;
  joined: RegExp;
  rise: RegExp;
  fall: RegExp;
  loss: RegExp;
  clauseEnd: RegExp;
};

/** Returns a pattern for whole words. In `words`, `*` stands for any further letters. */
export const toWordPattern = (words: string): RegExp => {
  const alternatives = words.replaceAll('*', String.raw`\p{L}*`).replaceAll(' ', '|');
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternatives})(?![\p{L}\p{N}])`, 'iu');
};

const ENGLISH: LockWords = {
  magnitudes: MAGNITUDES,
  counts: toWordMap<readonly FigureUnit[]>([
    [['months'], 'month months'],
    [['turns', 'turn'], 'turn turns quarter quarters year years period periods'],
    [['people'], 'employee employees people staff heads workers hires jobs fte'],
    [['scenarios'], 'scenario scenarios branch branches'],
    [[], 'agent agents adviser advisers advisor advisors'],
    [['events'], 'event events shock shocks'],
  ]),
  turnNouns: toWordSet('turn turns quarter quarters year years q t'),
  nounSearchEnds: toWordSet(
    'a after an and as at before but by during each every for from in into of on or over per than' +
      ' that the then to until when which while with within',
  ),
  percent: toWordSet('percent pct percentage'),
  points: toWordSet('pp ppt ppts pps'),
  basisPoints: toWordSet('bps bp'),
  times: toWordSet('x × times fold'),
  signs: toWordSet('minus negative'),
  isUnreadable: (word) => isForeignNumeral(word) || mayBeGermanNumeral(word),
  joined: /^\s*(?:,|-|–|—|to|and|or|,\s*and)\s*$/u,
  rise: toWordPattern(
    'gr[eo]w* rose ris(?:e|es|en|ing) increas* gain* up expand* climb* improv* add(?:s|ed)?',
  ),
  fall: toWordPattern(
    'f[ae]ll* declin* drop* decreas* shr[aiu]nk* los[et]* loss* down contract* cut* reduc* slid* ' +
      'slip* negative',
  ),
  loss: toWordPattern(
    'los[es]* lost negative deficits? shortfalls? burn* owe[sd]? owing below under red outflows? ' +
      'overdraw* minus',
  ),
  clauseEnd: /[.;:!?,](?=\s|$)|\b(?:while|whereas|but|and|although|though)\b/giu,
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

/**
 * German words, with the English ones where German prose uses them, too. Amounts in German texts
 * must be in digits: a German number word is an error, unless it is one of IGNORED_WORDS.
 */
const GERMAN: LockWords = {
  magnitudes: new Map([
    ...MAGNITUDES,
    // These override the English magnitudes: German "Billion" is 1e12 and "Trillion" is 1e18.
    ...toWordMap<number>([
      [1e12, 'billion billionen Billion Billionen bio Bio'],
      [1e18, 'trillion trillionen Trillion Trillionen'],
      [1e9, 'milliarde milliarden'],
      [1e6, 'million millionen'],
      [1e3, 'tausend'],
    ]),
  ]),
  counts: new Map([
    ...ENGLISH.counts,
    ...toWordMap<readonly FigureUnit[]>([
      [['months'], 'monat monate monaten monats'],
      [['turns', 'turn'], 'runde runden quartal quartale quartalen jahr jahre jahren'],
      [['people'], 'mitarbeiter mitarbeitern mitarbeitende mitarbeitenden personen menschen'],
      [['people'], 'beschäftigte beschäftigten beschäftigter stellen leute'],
      [['scenarios'], 'szenario szenarien szenarios'],
      [[], 'agent agenten berater beratern'],
      [['events'], 'ereignis ereignisse ereignissen schock schocks'],
    ]),
  ]),
  turnNouns: toWordSet('runde runden quartal quartale quartalen jahr jahre jahren q t'),
  nounSearchEnds: new Set([
    ...ENGLISH.nounSearchEnds,
    ...toWordSet(
      'ab als am an auf aus bei beim bis das dem den der des die ein eine einem einen einer für ' +
        'im in je jede jedem mit nach oder pro seit sowie um und unter von vor während zu zum ' +
        'zur über',
    ),
  ]),
  percent: toWordSet('prozent percent prozentpunkt prozentpunkte prozentpunkten'),
  points: ENGLISH.points,
  basisPoints: toWordSet('bps bp basispunkt basispunkte basispunkten'),
  times: toWordSet('x × mal fach fache fachen faches'),
  signs: toWordSet('minus negativ'),
  isUnreadable: (word) => isForeignNumeral(word) || isGermanNumeral(word),
  joined: /^\s*(?:,|-|–|—|bis|und|oder|,\s*und)\s*$/u,
  rise: toWordPattern(
    '(?:ge|an)?st[ie]{1,2}g(?:t|en|e|st)? steig* w[uä]chs* wachs* gewachsen* angestiegen erhöh* ' +
      'zunahm* zunehm* anstieg* zuwachs* gewann* gewonnen verbesser* plus',
  ),
  fall: toWordPattern(
    'fiel* fäll* (?:ge)?fallen sank* sink* gesunken schrumpf* geschrumpft verl[io][eo]?r* ' +
      'verlust* rückgang* zurück* abnahm* ab senk* gesenkt kürz* gekürzt verringer* reduzier* ' +
      'negativ* minus einbuß*',
  ),
  loss: toWordPattern(
    'verl[io][eo]?r* verlust* negativ* minus fehl* unter defizit* schuld* abfl[uo]ss* abfluss ' +
      'rote*',
  ),
  clauseEnd: /[.;:!?,](?=\s|$)|\b(?:während|aber|und|obwohl|jedoch|doch|sondern)\b/giu,
};

const BY_LANGUAGE: Readonly<Record<Language, LockWords>> = { en: ENGLISH, de: GERMAN };

export const lockWordsOf = (language: Language): LockWords => BY_LANGUAGE[language];
