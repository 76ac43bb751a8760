import type { Language } from '../language.ts';
import { germanWords } from './german-words.ts';
import { isForeignNumeral, MAGNITUDES, mayBeGermanNumeral } from './number-words.ts';
import { toBeginnings, toCounts, toWordSet } from './word-set.ts';
import type { LockWords } from './word-set.ts';

const ENGLISH: LockWords = {
  magnitudes: MAGNITUDES,
  counts: toCounts([
    ['month months', ['months']],
    ['turn turns quarter quarters year years period periods', ['turns', 'turn']],
    ['employee employees people staff heads workers hires jobs fte', ['people']],
    ['scenario scenarios branch branches', ['scenarios']],
    ['agent agents adviser advisers advisor advisors', ['agents']],
    ['event events shock shocks', ['events']],
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
  rise: toBeginnings(
    ...['gr[eo]w\\p{L}*', 'rose', 'ris(?:e|es|en|ing)', 'increas\\p{L}*', 'gain\\p{L}*', 'up'],
    ...['expand\\p{L}*', 'climb\\p{L}*', 'improv\\p{L}*', 'add(?:s|ed)?'],
  ),
  fall: toBeginnings(
    ...['f[ae]ll\\p{L}*', 'declin\\p{L}*', 'drop\\p{L}*', 'decreas\\p{L}*', 'shr[aiu]nk\\p{L}*'],
    ...['los[et]\\p{L}*', 'loss\\p{L}*', 'down', 'contract\\p{L}*', 'cut\\p{L}*', 'reduc\\p{L}*'],
    ...['slid\\p{L}*', 'slip\\p{L}*', 'negative'],
  ),
  loss: toBeginnings(
    ...[
      'los[es]\\p{L}*',
      'lost',
      'negative',
      'deficits?',
      'shortfalls?',
      'burn\\p{L}*',
      'owe[sd]?',
    ],
    ...['owing', 'below', 'under', 'red', 'outflows?', 'overdraw\\p{L}*', 'minus'],
  ),
  clauseEnd: /[.;:!?,](?=\s|$)|\b(?:while|whereas|but|and|although|though)\b/giu,
};

const BY_LANGUAGE: Readonly<Record<Language, LockWords>> = {
  en: ENGLISH,
  de: germanWords(ENGLISH),
};

export const lockWordsOf = (language: Language): LockWords => BY_LANGUAGE[language];
