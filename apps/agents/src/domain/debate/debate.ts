import type { TokenUsage } from '../model/model-call.ts';

/** A yes/no proposition that a debate is about; `weight` above 0. */
export type Issue = { id: string; proposition: string; weight: number };

/** Where an agent stands on an issue: one of five levels, against (-1) to for (1). */
export type Stance = { issueId: string; stance: number; confidence: number };

/** A point of an answer; its id is unique in the answer. */
export type KeyPoint = { id: string; text: string };

/** What one agent said in one round. */
export type Answer = {
  agentId: string;
  agentName: string;
  /** What is shown as its message. */
  content: string;
  /** In at most 60 words. */
  position: string;
  /** Empty: it said no more than prose, and took no stance. */
  stances: readonly Stance[];
  keyPoints: readonly KeyPoint[];
  changedMind: boolean;
  /** Empty: none was given. */
  changeReason: string;
  /** What would move it, if it said so; empty: it did not. */
  wouldChangeMind: string;
  /** Decisions on the levers of a panel, by name; empty in conversations. */
  levers: Readonly<Record<string, number>>;
  /** How the model ended it: `stop`, else it was cut off; absent on answers of older releases. */
  finishReason?: string;
  /** Its answer of the round before, because it did not answer in time. */
  isStale: boolean;
  /** Certificates of the calls that it came from, in order. */
  proofIds: readonly string[];
  usage: TokenUsage;
};

/** Why an agent has no answer in a round. */
export type Absence = {
  agentId: string;
  agentName: string;
  reason: 'timeout' | 'refused' | 'unavailable' | 'deleted';
};

/** What stands beside a round's score (C2). */
export type RoundReport = {
  method: 'stance' | 'lexical' | 'mixed' | 'single';
  /** Answers of this round that counted, of the agents that were asked: 0 to 1. */
  participation: number;
  /** Agent ids of those who agree with each other, largest bloc first. */
  blocs: readonly (readonly string[])[];
  /** Mean likeness of the texts, whatever they say: 0 to 1. */
  textSimilarity: number;
  /** Stances that moved without a reason, in this round and before. */
  conformityFlips: number;
  /**
   * Mean of Tastle and Wierman's consensus over the issues that two or more took a stance on;
   * undefined when there is none.
   */
  consensus: number | undefined;
};

/** One round that is over. */
export type Round = {
  /** 1-based. */
  roundNumber: number;
  /** By agent id. */
  answers: readonly Answer[];
  absences: readonly Absence[];
  /** 0 to 1, to four decimals. */
  convergenceScore: number;
  report: RoundReport;
};

/** Why no further round was held. */
export type StopReason =
  | 'converged'
  | 'stable'
  | 'oscillating'
  | 'rounds'
  | 'deadline'
  | 'budget'
  | 'single';

/** How the council stands on an issue (C3). */
export type IssueVerdict = {
  issueId: string;
  proposition: string;
  /** What more than half of those who took a stance on it hold; `split`: neither side has that. */
  verdict: 'support' | 'oppose' | 'split';
  /** Mean of the stances, weighted by confidence: -1 to 1. */
  support: number;
};

/** Agents that hold the same of an issue, word for word, and what they say of that issue. */
export type Dissent = {
  issueId: string;
  side: Side;
  agentIds: readonly string[];
  agentNames: readonly string[];
  /** Empty: all that they said is about other issues. */
  position: string;
  /** One of its key points, word for word; the position of who made none on this issue. */
  strongestPoint: string;
  /** Of that point in the message of the agent; empty: it made none on this issue. */
  strongestPointId: string;
  wouldChangeMind: string;
};

export type Side = 'for' | 'against' | 'undecided';

/** What the council said, agreed and did not agree on. */
export type Synthesis = {
  content: string;
  verdicts: readonly IssueVerdict[];
  /** Those who do not stand with a majority. */
  dissent: readonly Dissent[];
  /** Of issues that are split, where nobody dissents: all who took a stance. */
  camps: readonly Dissent[];
  /** Agents that answered and took no stance that can be counted. */
  withoutStance: readonly { id: string; name: string }[];
  openQuestions: readonly string[];
  /** Of the decision: 0 to 1. */
  confidence: number;
  convergenceScore: number;
  rounds: number;
  /** Names of agents whose last answer is not in it. */
  absentAgents: readonly string[];
  stoppedBy: StopReason;
  /** Written by rules, because no model wrote what stands up. */
  isFromTemplate: boolean;
};
