import type { TurnUnit } from '../../engine/engine.ts';
import type { Comparison } from '../compare-courses.ts';
import type { CourseStory, Insolvency, StoryEvent } from '../course-story.ts';
import type { KeyDecision } from '../key-decisions.ts';

/**
 * The sentences of a report that rules write, in one language. They are given numbers, and write
 * them by the one rule of `createShowNumber`. A scenario's name is empty where there is but one.
 */
export type Phrases = CoursePhrases & RiskPhrases & AdvicePhrases & DecisionPhrases;

export type CoursePhrases = {
  played: (played: { turns: number; unit: TurnUnit; scenarios: number }) => string;
  /** What money is, in which figures are given. */
  money: () => string;
  paused: (paused: { name: string; pausedTurns: readonly number[]; turns: number }) => string;
  joined: (joined: { name: string; turn: number }) => string;
  held: (held: { names: readonly string[]; turns: number; isAlways: boolean }) => string;
  /** Where revenue came from and went to, and why. */
  revenue: (name: string, story: CourseStory) => string;
  /** It had been higher, or lower, than at both ends. */
  turningPoint: (point: { kind: 'peak' | 'trough'; value: number; turn: number }) => string;
  /** What revenue is without the rise of prices. */
  real: (story: CourseStory) => string;
  /** `everywhere`: in every scenario; else in the one that is told of. */
  events: (events: readonly StoryEvent[], where: 'everywhere' | 'here') => string;
  cash: (story: CourseStory) => string;
  end: (story: CourseStory & { people: number }) => string;
  insolvent: (insolvent: Insolvency) => string;
  compared: (comparison: Comparison) => string;
  notCompared: () => string;
};

/** What may be wrong at the end, each as a sentence about the company. */
export type RiskKind =
  | 'insolvent'
  | 'runway'
  | 'turned'
  | 'outlook'
  | 'drain'
  | 'loss'
  | 'margin'
  | 'inflationOnly'
  | 'share'
  | 'unserved'
  | 'recovered'
  | 'events';

export type RiskPhrases = {
  risks: Readonly<Record<RiskKind, (name: string, story: CourseStory) => string>>;
  /** Behind a risk: the same is so in these scenarios. */
  alsoIn: (names: readonly string[]) => string;
  /** Where nothing was found. */
  noRisk: (name: string, lowestCash: number) => string;
};

export type AdvicePhrases = {
  restructure: (name: string) => string;
  closeGap: (name: string, story: CourseStory) => string;
  marketing: (name: string, story: CourseStory) => string;
  research: (name: string, story: CourseStory) => string;
  price: (name: string, story: CourseStory) => string;
  capacity: (name: string, story: CourseStory) => string;
  cost: (name: string, cost: NonNullable<CourseStory['cost']>) => string;
  repeat: (decision: KeyDecision, isOnly: boolean) => string;
  avoid: (decision: KeyDecision, isOnly: boolean) => string;
  decide: () => string;
  prepare: (worst: string, best: string, gap: number) => string;
  playMore: () => string;
};

export type DecisionPhrases = {
  decision: (decision: KeyDecision, isOnly: boolean) => string;
  noDecisions: () => string;
};

/** A margin beyond these bounds, percent, tells nothing: there was hardly any revenue. */
const MARGIN_TELLING = 200;

export const isTelling = (margin: number): boolean => Math.abs(margin) <= MARGIN_TELLING;

/** Scenarios whose worth differs by less than this part of it hardly differ. */
const ALIKE = 0.02;

export const isAlike = (best: number, worst: number): boolean =>
  best - worst <= ALIKE * Math.abs(best);

/** Three turns or more without a gap. */
export const isRun = (turns: readonly number[]): boolean =>
  turns.length > 2 && turns.every((turn, place) => turn === turns[0]! + place);
