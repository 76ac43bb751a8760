import type { TurnUnit } from '../../engine/engine.ts';
import type { Comparison, RankedScenario } from '../compare-scenarios.ts';
import type { Insolvency } from '../scenario-history.ts';
import type { ScenarioStory, StoryEvent } from '../scenario-story.ts';
import type { FormatNumber } from '../create-format-number.ts';
import type { KeyDecision } from '../key-decisions.ts';

/** Returns functions that format numbers; the unsigned ones omit the sign. */
export const toFormats = (format: FormatNumber) => ({
  format,
  money: (value: number): string => format(value, 'money'),
  unsignedMoney: (value: number): string => format(Math.abs(value), 'money'),
  percent: (value: number): string => format(value, 'percent'),
  unsignedPercent: (value: number): string => format(Math.abs(value), 'percent'),
  turn: (value: number): string => format(value, 'turn'),
});

export type Formats = ReturnType<typeof toFormats>;

/**
 * Functions that return the sentences of a report written by rules, in one language. The name of a
 * scenario is passed as an empty text if it is the only one.
 */
export type Phrases = ScenarioPhrases & RiskPhrases & AdvicePhrases & DecisionPhrases;

export type ScenarioPhrases = {
  played: (played: { turns: number; unit: TurnUnit; scenarios: number }) => string;
  noProvider: () => string;
  money: (hasInsolvent: boolean) => string;
  paused: (paused: { name: string; pausedTurns: readonly number[]; turns: number }) => string;
  joined: (joined: { name: string; turn: number }) => string;
  undecided: (undecided: { names: readonly string[]; turns: number; isAlways: boolean }) => string;
  revenue: (name: string, story: ScenarioStory) => string;
  turningPoint: (point: { kind: 'peak' | 'trough'; value: number; turn: number }) => string;
  realRevenue: (story: ScenarioStory) => string;
  events: (events: readonly StoryEvent[], where: 'everywhere' | 'here') => string;
  cash: (story: ScenarioStory) => string;
  cuts: (turns: readonly number[]) => string;
  end: (story: ScenarioStory & { people: number }) => string;
  insolvent: (insolvent: Insolvency) => string;
  /** For scenarios that the summary does not describe, because there are many. */
  undescribed: (names: readonly string[]) => string;
  compared: (comparison: Comparison) => string;
  notCompared: () => string;
};

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
  risk: (kind: RiskKind, name: string, story: ScenarioStory) => string;
  alsoIn: (names: readonly string[]) => string;
  noRisk: (name: string, lowestCash: number) => string;
};

export type Remedy =
  | 'restructure'
  | 'actEarlier'
  | 'reserve'
  | 'useCash'
  | 'closeGap'
  | 'marketing'
  | 'research'
  | 'price'
  | 'capacity'
  | 'cost';

export type AdvicePhrases = {
  remedy: (kind: Remedy, name: string, story: ScenarioStory) => string;
  repeat: (decision: KeyDecision, isOnlyScenario: boolean) => string;
  avoid: (decision: KeyDecision, isOnlyScenario: boolean) => string;
  decide: () => string;
  prepare: (worst: RankedScenario, best: RankedScenario) => string;
  branch: () => string;
  playMoreTurns: () => string;
};

export type DecisionPhrases = {
  decision: (decision: KeyDecision, isOnlyScenario: boolean) => string;
  noDecisions: (hasInsolvent: boolean) => string;
};

/**
 * Maximum margin, in percent, that a report states. A larger one is meaningless, because there was
 * hardly any revenue.
 */
const MARGIN_MEANINGFUL_MAX = 200;

export const isMeaningful = (margin: number): boolean => Math.abs(margin) <= MARGIN_MEANINGFUL_MAX;

const SIMILAR_SHARE = 0.02;

export const isSimilar = (best: number, worst: number): boolean =>
  best - worst <= SIMILAR_SHARE * Math.abs(best);

export const areConsecutive = (turns: readonly number[]): boolean =>
  turns.length > 2 && turns.every((turn, index) => turn === turns[0]! + index);
