import type { LeverName } from '../../engine/engine.ts';
import type { ReportFigure } from '../create-format-number.ts';
import type { KeyDecision } from '../key-decisions.ts';
import type { Language } from '../language.ts';
import { MOVE_WORDS } from './find-move-errors.ts';
import { toWordPattern } from './lock-words.ts';

export type AdviceError = { text: string; reason: 'against its effect' | 'no sentence' };

type AdviceWords = {
  raise: RegExp;
  lower: RegExp;
  /** Words of a sentence that advises against something, or states what happened or others do. */
  notAdvised: RegExp;
};

const ENGLISH: AdviceWords = {
  raise: toWordPattern('rais(?:e|ing) increas(?:e|ing) lift* grow hir(?:e|ing) expand*'),
  lower: toWordPattern('lower(?:ing)? cut(?:ting)? reduc(?:e|ing) decreas(?:e|ing) trim* slash*'),
  notAdvised: toWordPattern(
    'not no never avoid* stop* without instead rather undo revers* slow took cost added without ' +
      "rivals competitors don['’]t had was were",
  ),
};

const GERMAN: AdviceWords = {
  raise: toWordPattern('erhöh* steiger* anheben angehoben anzuheben aufstock* vergrößer*'),
  lower: toWordPattern('senk* gesenkt kürz* gekürzt reduzier* verringer* abbauen abzubauen'),
  notAdvised: toWordPattern(
    'nicht kein* nie vermeid* ohne statt anstatt rückgängig kostete* brachte* Wettbewerber* hat ' +
      'wurde*',
  ),
};

const BY_LANGUAGE: Readonly<Record<Language, AdviceWords>> = { en: ENGLISH, de: GERMAN };

/**
 * Returns the sentences of a recommendation that advise to move a lever in a direction which the
 * effects of the decisions on this lever speak against: to repeat what took value off the company,
 * or to do the opposite of what added some. Sentences with two directions, and levers without a
 * measured effect or with effects of both kinds, are not checked.
 */
export const findAdviceErrors = (
  text: string,
  { decisions, language }: { decisions: readonly KeyDecision[]; language: Language },
): AdviceError[] => {
  const words = BY_LANGUAGE[language];
  return text.split(/(?<=[.!?;])\s+/u).flatMap((sentence): AdviceError[] => {
    if (words.notAdvised.test(sentence)) return [];
    const isAgainst = sentence.split(MOVE_WORDS[language].clauseEnd).some((clause) => {
      const isUp = words.raise.test(clause);
      if (isUp === words.lower.test(clause)) return false;
      const levers = MOVE_WORDS[language].subjects
        .filter((subject) => subject.words.test(clause))
        .flatMap(({ lever }) => lever ?? []);
      return levers.length === 1 && findBetterMove(levers[0]!, decisions) === (isUp ? -1 : 1);
    });
    return isAgainst ? [{ text: sentence, reason: 'against its effect' }] : [];
  });
};

/** Returns the direction in which moves of a lever added value, if they all agree on it. */
const findBetterMove = (
  lever: LeverName,
  decisions: readonly KeyDecision[],
): number | undefined => {
  const directions = decisions
    .filter((decision) => decision.lever === lever)
    .map(
      (decision) =>
        Math.sign(decision.value - decision.defaultValue) * Math.sign(valueOf(decision)),
    );
  const distinct = new Set(directions.filter((direction) => direction !== 0));
  return distinct.size === 1 ? [...distinct][0] : undefined;
};

const valueOf = ({ solvency, worth }: KeyDecision): number =>
  ({ rescue: 1, ruin: -1, none: worth })[solvency];

/** Returns the lines of the fact table that a risk or a recommendation repeats. */
export const findCopiedFacts = (text: string, figures: readonly ReportFigure[]): AdviceError[] =>
  figures
    .map((figure) => `${figure.label}: ${figure.text}`)
    .filter((line) => text.includes(line))
    .slice(0, 1)
    .map((line) => ({ text: line, reason: 'no sentence' }));
