import type { TokenUsage } from '../model/model-call.ts';

/** Yes/no proposition of a debate; `weight` is above 0. */
export type Issue = { id: string; proposition: string; weight: number };

/**
 * Position of an agent on an issue; `stance` is one of five levels from against (-1) to for (1).
 */
export type Stance = { issueId: string; stance: number; confidence: number };

export type KeyPoint = { id: string; text: string };

export type Answer = {
  agentId: string;
  agentName: string;
  content: string;
  /** Summary of the agent's view, at most 60 words. */
  position: string;
  stances: readonly Stance[];
  keyPoints: readonly KeyPoint[];
  changedMind: boolean;
  changeReason: string;
  wouldChangeMind: string;
  levers: Readonly<Record<string, number>>;
  /**
   * Finish reason of the model; any other than `stop` means that the text was cut off. Answers of
   * older releases have none.
   */
  finishReason?: string;
  /** True if this is the answer of the previous round, reused because the agent timed out. */
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
  /** Share of the asked agents whose answer is counted and not stale, 0 to 1. */
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
  /** Side that more than half of the agents with a stance on the issue take, otherwise `split`. */
  verdict: 'support' | 'oppose' | 'split';
  support: number;
};

/** Agents whose statements on an issue are identical. */
export type Dissent = {
  issueId: string;
  side: Side;
  agentIds: readonly string[];
  agentNames: readonly string[];
  /** Position of these agents; empty if all their statements concern other issues. */
  position: string;
  /** Key point, quoted verbatim; the position if no key point concerns this issue. */
  strongestPoint: string;
  strongestPointId: string;
  wouldChangeMind: string;
};

export type Side = 'for' | 'against' | 'undecided';

export type Synthesis = {
  content: string;
  verdicts: readonly IssueVerdict[];
  dissent: readonly Dissent[];
  /** Both sides of every split issue, with all agents that have a stance on it. */
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
