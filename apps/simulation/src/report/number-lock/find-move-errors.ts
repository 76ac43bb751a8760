import type { LeverName } from '../../engine/engine.ts';
import type { Language } from '../language.ts';
import { figureOf, openingFigureOf } from '../scenario-history.ts';
import type { Figure, ReportedState, ScenarioHistory } from '../scenario-history.ts';
import { toWordPattern } from './lock-words.ts';

/** Something whose move in a turn prose may state: a figure, a lever, or both. */
type Subject = {
  words: RegExp;
  figure?: Figure;
  lever?: LeverName;
};

type MoveWords = {
  subjects: readonly Subject[];
  /** Prices of others, and prices in general. */
  otherPrices: RegExp;
  /** Verbs of what the company does, and of what happens to it. */
  raised: RegExp;
  lowered: RegExp;
  rose: RegExp;
  fell: RegExp;
  /** Words of a clause that states no fact: negations, conditions and advice. */
  notStated: RegExp;
  inTurn: RegExp;
  atTurn: RegExp;
  /** Words of a clause about a part of the time that was played. */
  atTimes: RegExp;
  clauseEnd: RegExp;
  /** A statement that something caused an event of the world. */
  causedEvent: RegExp;
};

/** Returns a pattern for a verb, up to two words, and an event of the world. */
const toCausePattern = (verbs: string, events: string): RegExp =>
  new RegExp(String.raw`(?<!\p{L})(?:${verbs})(?: \p{L}+){0,2} (?:${events})(?!\p{L})`, 'giu');

const ENGLISH: MoveWords = {
  subjects: [
    { words: toWordPattern('prices?'), figure: 'price', lever: 'priceChange' },
    { words: toWordPattern('marketing'), lever: 'marketingPct' },
    { words: toWordPattern('research R&D'), lever: 'rdPct' },
    { words: toWordPattern('investment capex'), lever: 'capexPct' },
    {
      words: toWordPattern('staff workforce headcount employees'),
      figure: 'employees',
      lever: 'headcountChange',
    },
    { words: toWordPattern('debts? loans?'), figure: 'debt', lever: 'debtChange' },
    { words: toWordPattern('revenues? sales'), figure: 'revenue' },
    { words: toWordPattern('cash'), figure: 'cash' },
    { words: toWordPattern('share'), figure: 'marketShare' },
  ],
  otherPrices: toWordPattern('rivals?’? competitors?’? general inflation war start'),
  raised: toWordPattern('raised increased lifted expanded grew hired'),
  lowered: toWordPattern('lowered cut reduced decreased trimmed slashed shrank'),
  rose: toWordPattern('rose grew climbed increased gained'),
  fell: toWordPattern('fell dropped declined shrank decreased sank slid'),
  notStated: toWordPattern(
    "not no never without instead nor neither if would could should may might had didn['’]t",
  ),
  inTurn: /\b(?:in|during) turn (?<turn>\d+)\b/iu,
  atTurn: /\bturns? \d/giu,
  atTimes: toWordPattern(
    'turns? quarters? years? months? first initially then later last temporarily before after ' +
      'until again since between once',
  ),
  clauseEnd: /[;:,](?=\s)|\b(?:while|whereas|but|and|although|though|then|which)\b/giu,
  causedEvent: toCausePattern(
    'led to|lead to|caused|causing|resulted in|triggered|provoked',
    'price war|recession|supply shock|cyber incident|shortage of talent|regulation',
  ),
};

const GERMAN: MoveWords = {
  subjects: [
    { words: toWordPattern('Preise?n?'), figure: 'price', lever: 'priceChange' },
    { words: toWordPattern('Marketing'), lever: 'marketingPct' },
    { words: toWordPattern('Forschung'), lever: 'rdPct' },
    { words: toWordPattern('Investitionen'), lever: 'capexPct' },
    {
      words: toWordPattern('Belegschaft Beschäftigten? Personal'),
      figure: 'employees',
      lever: 'headcountChange',
    },
    { words: toWordPattern('Schulden Kredite?'), figure: 'debt', lever: 'debtChange' },
    { words: toWordPattern('Umsatz Umsätze'), figure: 'revenue' },
    { words: toWordPattern('Kasse'), figure: 'cash' },
    { words: toWordPattern('Marktanteil'), figure: 'marketShare' },
  ],
  otherPrices: toWordPattern('Wettbewerbern? allgemein Inflation Preiskampf Anfangs'),
  raised: toWordPattern('erhöht* gesteigert steigert* angehoben hob vergrößert* aufgestockt'),
  lowered: toWordPattern(
    'senkt* gesenkt kürzt* gekürzt reduziert* verringert* verkleinert* abgebaut',
  ),
  rose: toWordPattern('stieg* gestiegen wuchs* gewachsen'),
  fell: toWordPattern('fiel* gefallen sank* gesunken schrumpft* geschrumpft'),
  notStated: toWordPattern('nicht kein* nie ohne statt wenn falls würde* könnte* sollte* hätte*'),
  inTurn: /\bin Runde (?<turn>\d+)\b/iu,
  atTurn: /\bRunden? \d/giu,
  atTimes: toWordPattern(
    'Runden? Quartale? Jahre? Monate? zuerst zunächst anfangs dann später zuletzt vorübergehend ' +
      'vorher danach bis wieder seit',
  ),
  clauseEnd: /[;:,](?=\s)|\b(?:während|aber|und|obwohl|jedoch|doch|sondern|dann)\b/giu,
  causedEvent: toCausePattern(
    'führten? zu|verursachten?|bewirkten?',
    'Preiskampf|Rezession|Lieferschock|Cyberangriff|Fachkräftemangel|Regulierung',
  ),
};

export const MOVE_WORDS: Readonly<Record<Language, MoveWords>> = { en: ENGLISH, de: GERMAN };

export type MoveError = { text: string; reason: 'no such move' | 'no such cause' };

/**
 * Returns the clauses of a text that state a move of a lever or figure, such as "prices were
 * lowered in turn 2", that no scenario made in that turn, or from start to end if no time is named.
 * If the sentence names scenarios, only those count. What the company does must agree with its
 * lever, what happens to it with its lever or figure. Also returns statements that something caused
 * an event of the world, because these happen by chance. A clause with two subjects or directions
 * is not checked.
 */
export const findMoveErrors = (
  text: string,
  { histories, language }: { histories: readonly ScenarioHistory[]; language: Language },
): MoveError[] => {
  const words = MOVE_WORDS[language];
  return text.split(/(?<=[.!?])\s+/u).flatMap((sentence) => {
    const named = histories.filter(({ scenario }) => sentence.includes(scenario.name));
    const candidates = named.length > 0 ? named : histories;
    return [
      ...[...sentence.matchAll(words.causedEvent)].map(([cause]): MoveError => ({
        text: cause,
        reason: 'no such cause',
      })),
      ...findInSentence(sentence, candidates, words),
    ];
  });
};

const findInSentence = (
  sentence: string,
  histories: readonly ScenarioHistory[],
  words: MoveWords,
): MoveError[] => {
  const turnsNamed = [...sentence.matchAll(words.atTurn)].length;
  const opening = words.inTurn.exec(sentence);
  // "In turn 2, prices fell": the turn is that of each clause if it is the only one.
  const sentenceTurn = turnsNamed === 1 && opening?.index === 0 ? opening : undefined;
  let subject: Subject | undefined;
  return sentence.split(words.clauseEnd).flatMap((clause): MoveError[] => {
    const subjects = words.subjects.filter((one) => one.words.test(clause));
    if (subjects.length > 0) subject = subjects.length === 1 ? subjects[0] : undefined;
    const turn = (words.inTurn.exec(clause) ?? sentenceTurn)?.groups?.['turn'];
    const isOther = words.otherPrices.test(clause) || words.notStated.test(clause);
    if (!subject || isOther) return [];
    const claim = readClaim(clause, subject, words);
    if (!claim || (turn === undefined && words.atTimes.test(sentence))) return [];
    const isMade = histories.some((history) =>
      turn === undefined ? isWholeMove(history, claim) : isMove(history, Number(turn), claim),
    );
    return isMade ? [] : [{ text: clause.trim(), reason: 'no such move' }];
  });
};

type Claim = { direction: 1 | -1; isAct: boolean; subject: Subject };

const readClaim = (clause: string, subject: Subject, words: MoveWords): Claim | undefined => {
  const isUp = words.raised.test(clause) || words.rose.test(clause);
  const isDown = words.lowered.test(clause) || words.fell.test(clause);
  if (isUp === isDown) return undefined;
  const happened = (isUp ? words.rose : words.fell).test(clause);
  return { direction: isUp ? 1 : -1, isAct: !happened, subject };
};

/** What the company does must have been done in a turn; what happens to it, from start to end. */
const isWholeMove = (history: ScenarioHistory, claim: Claim): boolean => {
  const { figure, lever } = claim.subject;
  const { scenario, states } = history;
  const isLeverMoved =
    lever !== undefined &&
    states.some(({ turn }) => isMove(history, turn, { ...claim, isAct: true }));
  if (isLeverMoved || figure === undefined || (claim.isAct && lever !== undefined))
    return isLeverMoved;
  const change = figureOf(states.at(-1)!, figure) - openingFigureOf(scenario, figure);
  return Math.sign(change) === claim.direction;
};

const isMove = ({ scenario, states }: ScenarioHistory, turn: number, claim: Claim): boolean => {
  const index = states.findIndex((state) => state.turn === turn);
  if (index < 0) return false;
  const { direction, isAct, subject } = claim;
  const { figure, lever } = subject;
  const state = states[index]!;
  const before = states[index - 1];
  const earlier = before?.engineState ?? scenario.opening;
  const leverMove = lever === undefined ? 0 : moveOf(lever, state, earlier);
  const figureMove =
    figure === undefined
      ? 0
      : figureOf(state, figure) -
        (before ? figureOf(before, figure) : openingFigureOf(scenario, figure));
  if (isAct && lever !== undefined) return Math.sign(leverMove) === direction;
  return Math.sign(leverMove) === direction || Math.sign(figureMove) === direction;
};

/** Returns the move of a lever: its change for a part of revenue, otherwise its value. */
const moveOf = (
  lever: LeverName,
  { decision }: ReportedState,
  { company }: ReportedState['engineState'],
): number => {
  const value = decision.levers[lever];
  return lever === 'marketingPct' || lever === 'rdPct' || lever === 'capexPct'
    ? value - company[lever]
    : value;
};
