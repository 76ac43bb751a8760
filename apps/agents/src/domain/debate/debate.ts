import type { TokenUsage } from '../model/model-call.ts';

/** A yes/no proposition under debate; `weight` above 0. */
export type Issue = { id: string; proposition: string; weight: number };

/** An agent's position on an issue: one of five levels, against (-1) to for (1). */
export type Stance = { issueId: string; stance: number; confidence: number };

/** An argument; its id is unique within the answer. */
export type KeyPoint = { id: string; text: string };

/** One agent's answer in one round. */
export type Answer = {
  agentId: string;
  agentName: string;
  /** Shown as the agent's message. */
  content: string;
  /** At most 60 words. */
  position: string;
  /** Empty if the answer is prose without a stance. */
  stances: readonly Stance[];
  keyPoints: readonly KeyPoint[];
  changedMind: boolean;
  /** Empty if none was given. */
  changeReason: string;
  /** Empty if the agent did not say. */
  wouldChangeMind: string;
  /** Values chosen for the levers of a panel, by name; empty in conversations. */
  levers: Readonly<Record<string, number>>;
  /**
   * The model's finish reason: other than `stop`, the text was cut off. Absent on answers of older
   * releases.
   */
  finishReason?: string;
  /** True if this is the answer of the previous round, because the agent timed out. */
  isStale: boolean;
  /** Certificates of the calls that produced the answer, in order. */
  proofIds: readonly string[];
  usage: TokenUsage;
};

export type Absence = {
  agentId: string;
  agentName: string;
  reason: 'timeout' | 'refused' | 'unavailable' | 'deleted';
};

/** Details of a round's score (docs/convergence.md). */
export type RoundReport = {
  method: 'stance' | 'lexical' | 'mixed' | 'single';
  /** Fresh, counted answers divided by agents asked: 0 to 1. */
  participation: number;
  /** Agent ids grouped by agreement, largest bloc first. */
  blocs: readonly (readonly string[])[];
  /** Mean lexical similarity of the texts: 0 to 1. */
  textSimilarity: number;
  /** Stances that changed without a stated reason, in this round and all earlier ones. */
  conformityFlips: number;
  /**
   * Mean of Tastle and Wierman's consensus over issues with two or more stances; undefined if there
   * is none.
   */
  consensus: number | undefined;
};

/** A completed round. */
export type Round = {
  /** 1-based. */
  roundNumber: number;
  /** By agent id. */
  answers: readonly Answer[];
  absences: readonly Absence[];
  /** 0 to 1, rounded to four decimals. */
  convergenceScore: number;
  report: RoundReport;
};

/** Why the debate ended after its last round. */
export type StopReason =
  | 'converged'
  | 'stable'
  | 'oscillating'
  | 'rounds'
  | 'deadline'
  | 'budget'
  | 'single';

/** The council's vote on an issue. */
export type IssueVerdict = {
  issueId: string;
  proposition: string;
  /**
   * The side of more than half of the agents with a stance on the issue; `split` if neither side
   * has that.
   */
  verdict: 'support' | 'oppose' | 'split';
  /** Mean of the stances weighted by confidence: -1 to 1. */
  support: number;
};

/** Agents with an identical statement on an issue. */
export type Dissent = {
  issueId: string;
  side: Side;
  agentIds: readonly string[];
  agentNames: readonly string[];
  /** Empty if everything they wrote concerns other issues. */
  position: string;
  /** A key point, verbatim; the position if none concerns this issue. */
  strongestPoint: string;
  /** Id of that point in the agent's message; empty if none concerns this issue. */
  strongestPointId: string;
  wouldChangeMind: string;
};

export type Side = 'for' | 'against' | 'undecided';

/** The result of a debate. */
export type Synthesis = {
  content: string;
  verdicts: readonly IssueVerdict[];
  /** Agents that oppose a majority. */
  dissent: readonly Dissent[];
  /** All agents with a stance on a split issue. */
  camps: readonly Dissent[];
  /** Agents that answered without a countable stance. */
  withoutStance: readonly { id: string; name: string }[];
  openQuestions: readonly string[];
  /** Confidence in the decision: 0 to 1. */
  confidence: number;
  convergenceScore: number;
  rounds: number;
  /** Names of agents without an answer in the last round. */
  absentAgents: readonly string[];
  stoppedBy: StopReason;
  /** True if rules wrote the text because no model produced a valid one. */
  isFromTemplate: boolean;
};
