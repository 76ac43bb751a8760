import type { TokenUsage } from '../model/model-call.ts';

/** `weight` is above 0. */
export type Issue = { id: string; proposition: string; weight: number };

/** An agent's position on an issue: one of five levels, against (-1) to for (1). */
export type Stance = { issueId: string; stance: number; confidence: number };

export type KeyPoint = { id: string; text: string };

export type Answer = {
  agentId: string;
  agentName: string;
  content: string;
  /** At most 60 words. */
  position: string;
  stances: readonly Stance[];
  keyPoints: readonly KeyPoint[];
  changedMind: boolean;
  changeReason: string;
  wouldChangeMind: string;
  levers: Readonly<Record<string, number>>;
  /**
   * The model's finish reason: other than `stop`, the text was cut off. Absent on answers of older
   * releases.
   */
  finishReason?: string;
  /** True if this is the answer of the previous round, carried over because the agent timed out. */
  isStale: boolean;
  proofIds: readonly string[];
  usage: TokenUsage;
};

export type Absence = {
  agentId: string;
  agentName: string;
  reason: 'timeout' | 'refused' | 'unavailable' | 'deleted';
};

export type RoundReport = {
  method: 'stance' | 'lexical' | 'mixed' | 'single';
  /** Answers that are counted and not stale, divided by agents asked: 0 to 1. */
  participation: number;
  /** Agent ids grouped by agreement, largest bloc first. */
  blocs: readonly (readonly string[])[];
  textSimilarity: number;
  conformityFlips: number;
  /** Mean of Tastle and Wierman's consensus over issues with two or more stances. */
  consensus: number | undefined;
};

export type Round = {
  roundNumber: number;
  answers: readonly Answer[];
  absences: readonly Absence[];
  convergenceScore: number;
  report: RoundReport;
};

export type StopReason =
  | 'converged'
  | 'stable'
  | 'oscillating'
  | 'rounds'
  | 'deadline'
  | 'budget'
  | 'single';

export type IssueVerdict = {
  issueId: string;
  proposition: string;
  /** The side of more than half of the agents with a stance on the issue, otherwise `split`. */
  verdict: 'support' | 'oppose' | 'split';
  support: number;
};

/** Agents with an identical statement on an issue. */
export type Dissent = {
  issueId: string;
  side: Side;
  agentIds: readonly string[];
  agentNames: readonly string[];
  /** Empty if all statements of these agents concern other issues. */
  position: string;
  /** A key point, verbatim; the position if no key point concerns this issue. */
  strongestPoint: string;
  strongestPointId: string;
  wouldChangeMind: string;
};

export type Side = 'for' | 'against' | 'undecided';

export type Synthesis = {
  content: string;
  verdicts: readonly IssueVerdict[];
  dissent: readonly Dissent[];
  /** All agents with a stance on a split issue. */
  camps: readonly Dissent[];
  withoutStance: readonly { id: string; name: string }[];
  openQuestions: readonly string[];
  confidence: number;
  convergenceScore: number;
  rounds: number;
  absentAgents: readonly string[];
  stoppedBy: StopReason;
  isFromTemplate: boolean;
};
