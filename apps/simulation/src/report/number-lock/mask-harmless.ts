import type { Language } from '../language.ts';

/** Phrases with number words or digits that state no figure of the company. */
type HarmlessPhrases = {
  idioms: RegExp;
  /** Small counts of things that have no figure, such as risks. */
  counts: RegExp;
  /** Spans of time that a plan may have. */
  plans: RegExp;
  /** Spans of time that are a plan only in a sentence with a word of `planning`. */
  dates: RegExp;
  planning: RegExp;
  /** Words that make a span of time a statement about the company, such as its runway. */
  claims: RegExp;
  /** Vague numbers of people or things, and the words that make them a count of the company. */
  dozens: RegExp;
  dozenClaims: RegExp;
  /** Words of a recommendation to talk to people, of whom there may be a dozen. */
  asking: RegExp;
};

const anyOf = (words: string): string => `(?:${words.split(' ').join('|')})`;
const toPattern = (source: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}]|\d[.,])(?:${source})(?![\p{L}\p{N}])`, 'giu');

const SMALL = anyOf('two three four five six seven eight nine ten [2-9] 10');
const SPAN =
  `(?:one|${SMALL}|eleven|twelve|eighteen|twenty|[1-9][0-9]?)[ -]` +
  anyOf('days? weeks? months? quarters? years? turns?');
/** Up to two words between a count and its noun, none of which makes it another amount. */
const NO_ADJECTIVE = anyOf('percent percentage basis per and or of to in million thousand hundred');
const ADJECTIVES = String.raw`(?:(?!${NO_ADJECTIVE}\b)\p{L}+ ){0,2}`;
const THINGS = anyOf(
  'problems risks reasons things points questions steps options ways lessons causes forces paths ' +
    'sides choices issues weaknesses strengths priorities tasks goals factors levers measures ' +
    'messages conclusions dangers threats opportunities views answers themes fronts parts ' +
    'decisions challenges concerns worlds',
);

const ENGLISH: HarmlessPhrases = {
  idioms: toPattern(
    [
      'half the battle|half[- ]hearted(?:ly)?|half[- ]measures?|half[- ]baked|half[- ]way',
      'double[- ]edged|two[- ]edged|double[- ]check(?:s|ed|ing)?|(?:double|doubles|doubling) down',
      'once[- ]in[- ]a[- ](?:decade|generation|century|lifetime)|(?:50[-–/: ]50|fifty[- ]fifty)',
      'think twice|second thoughts?|zero[- ]sum|square one|zero in on|million[- ]dollar question',
      'two sides of the same coin|two birds with one stone|two heads are better than one',
      'four[- ]eyes principle|two[- ]way|two[- ]track|80[-/]20 rule|rule of three|a thousand cuts',
      '(?:is|are) (?:twofold|threefold)|second to none|third part(?:y|ies)|ten to one',
    ].join('|'),
  ),
  counts: toPattern(`(?:${SMALL}) ${ADJECTIVES}${THINGS}`),
  plans: toPattern(
    `(?:the )?(?:next|coming) ${SPAN}|every ${SPAN}|` +
      `${SPAN} (?:plan|horizon|programme|program|review)`,
  ),
  dates: toPattern(`(?:in|within|after|for) (?:about |at least |at most )?${SPAN}`),
  planning: toPattern(
    anyOf(
      'review(?:s|ed)? revisit plan(?:s|ned)? replan check decide repeat meet look reassess ' +
        'assess evaluate test try report update prepare agree wait pause postpone again',
    ),
  ),
  claims: toPattern(
    [
      'lasts?|lasted|lasting|runway|runs? (?:out|dry)|running out|insolven\\p{L}*|bankrupt\\p{L}*',
      'pays? back|payback|break[- ]even|expected|forecasts?|has|have|had|enough|left',
      '(?:will|would)(?! (?:be )?(?:review|revisit|check|decide|repeat|meet|reassess|report))',
      'covers?|covered|sufficient|took|takes|grew|rose|fell|lost|gained',
    ].join('|'),
  ),
  asking: toPattern(anyOf('ask talk speak interview invite survey visit')),
  dozens: toPattern(String.raw`(?:half )?a dozen(?: \p{L}+)?`),
  dozenClaims: toPattern(
    [
      'has|have|had|with|employ\\p{L}*|staff\\p{L}*|hire[sd]?|los(?:e|es|t|ing)|left|leav\\p{L}*',
      'quit\\p{L}*|cut\\p{L}*|dismiss\\p{L}*|gr[eo]w\\p{L}*|gain\\p{L}*|w[io]n|wins|join\\p{L}*',
      'remain\\p{L}*|ends?|ended|costs?|earn\\p{L}*|million|thousand|percent|went|came|fell|rose',
    ].join('|'),
  ),
};

const GERMAN_SMALL = anyOf('zwei drei vier fünf sechs sieben acht neun zehn [2-9] 10');
const GERMAN_SPAN =
  `(?:${GERMAN_SMALL}|elf|zwölf|achtzehn|[1-9][0-9]?) ` +
  anyOf('Tagen? Wochen Monaten? Quartalen? Jahren? Runden');

const GERMAN: HarmlessPhrases = {
  idioms: toPattern(
    [
      'halbe Miete|halbherzig\\p{L}*|halbe Sachen|zweischneidig\\p{L}*|zweigleisig\\p{L}*',
      '50[-–/: ]50|fünfzig zu fünfzig|fifty[- ]fifty|einmal im (?:Jahrzehnt|Jahrhundert)',
      'zwei Seiten (?:einer|derselben) Medaille|zwei Fliegen mit einer Klappe|vier Augen',
      'Vier-Augen-Prinzip|zweiten? Blick|doppelt (?:prüfen|geprüft)|zweimal überlegen',
    ].join('|'),
  ),
  counts: toPattern(
    `${GERMAN_SMALL} (?:(?!(?:prozent|und|oder|von|bis|millionen|tausend)\\b)\\p{L}+ ){0,2}` +
      anyOf(
        'Problemen? Risiken Gründen? Dingen? Fragen Schritten? Wegen? Punkten? Ursachen ' +
          'Maßnahmen Aufgaben Zielen? Seiten Möglichkeiten Optionen Hebeln? Entscheidungen ' +
          'Themen Stärken Schwächen Lehren Gefahren Faktoren Bereichen? Sorgen Welten',
      ),
  ),
  plans: toPattern(`(?:nächsten|kommenden) ${GERMAN_SPAN}|alle ${GERMAN_SPAN}`),
  dates: toPattern(`(?:in|nach|für|binnen) ${GERMAN_SPAN}`),
  planning: toPattern(
    '(?:über)?prüf\\p{L}*|entscheid\\p{L}*|wiederhol\\p{L}*|treff\\p{L}*|plan\\p{L}*|' +
      'ansehen|bericht\\p{L}*|abwarten|erneut|wieder',
  ),
  claims: toPattern(
    'reich(?:t|en|te)|zahlungsunfähig|insolven\\p{L}*|wird|werden|würde\\p{L}*|Prognosen?|hat|' +
      'hatte|genug|amortis\\p{L}*|stieg|sank|fiel|wuchs',
  ),
  asking: toPattern(String.raw`frag\p{L}*|befrag\p{L}*|sprech\p{L}*|einladen`),
  dozens: toPattern(String.raw`(?:ein|einem|einen)? ?(?:halbes )?Dutzend(?: \p{L}+)?`),
  dozenClaims: toPattern(
    'hat|hatte|mit|beschäftig\\p{L}*|stell\\p{L}*|verl[io]\\p{L}*|ging\\p{L}*|geh\\p{L}*|' +
      'kündig\\p{L}*|entl\\p{L}*|gew[ao]n\\p{L}*|bleib\\p{L}*|kost\\p{L}*|Millionen|Tausend|Prozent',
  ),
};

const BY_LANGUAGE: Readonly<Record<Language, HarmlessPhrases>> = { en: ENGLISH, de: GERMAN };

/**
 * Replaces idioms, small counts of things without a figure, and spans of time in plans with letters
 * of the same length, so that they are not read as amounts. A span of time or a dozen in a sentence
 * that states something about the company stays, because it may be invented.
 */
export const maskHarmless = (text: string, language: Language): string => {
  const phrases = BY_LANGUAGE[language];
  const has = (sentence: string, pattern: RegExp): boolean => sentence.search(pattern) >= 0;
  const rules: readonly [RegExp, (sentence: string) => boolean][] = [
    [phrases.idioms, () => true],
    [phrases.counts, () => true],
    [phrases.plans, (sentence) => !has(sentence, phrases.claims)],
    [
      phrases.dates,
      (sentence) => has(sentence, phrases.planning) && !has(sentence, phrases.claims),
    ],
    [
      phrases.dozens,
      (sentence) => has(sentence, phrases.asking) || !has(sentence, phrases.dozenClaims),
    ],
  ];
  const maskSentence = (sentence: string): string =>
    rules.reduce(
      (masked, [pattern, isHarmless]) =>
        isHarmless(sentence)
          ? masked.replaceAll(pattern, (phrase) => 'n'.repeat(phrase.length))
          : masked,
      sentence,
    );
  return text.split(SENTENCE_END).map(maskSentence).join('');
};

/** Splits after the space that follows the end of a sentence, so that no character is lost. */
const SENTENCE_END = /(?<=[.!?;]\s+)(?=\S)/u;
