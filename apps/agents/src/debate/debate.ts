import type { TokenUsage } from '@witan/dialects';

/**
 * Yes/no proposition of a debate. `weight`, above 0, is relative to the weights of the other
 * issues.
 */
export type Issue = { id: string; proposition: string; weight: number };

/** Position of an agent on an issue: `stance` is -1 (against), -0.5, 0, 0.5 or 1 (for). */
export type Stance = { issueId: string; stance: number; confidence: number };

/** `issueId` is the issue that the agent names for it; undefined if it names none. */
export type KeyPoint = { id: string; text: string; issueId?: string };

export type Answer = {
  agentId: string;
  agentName: string;
  content: string;
  /** Conclusion of the agent, at most 60 words. */
  position: string;
  stances: readonly Stance[];
  keyPoints: readonly KeyPoint[];
  /** True if a stance differs from that of the agent's previous answer. */
  changedMind: boolean;
  /** Empty unless `changedMind`. */
  changeReason: string;
  wouldChangeMind: string;
  levers: Readonly<Record<string, number>>;
  /**
   * Finish reason of the model call; with any but `stop`, the text may be incomplete. Undefined in
   * answers stored by older releases.
   */
  finishReason?: string;
  /** True if the agent timed out and this is its answer of the previous round, reused. */
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
  /** Share of the asked agents whose answer has stances and is not stale, 0 to 1. */
  participation: number;
  /** Agent ids grouped by similarity of their answers, largest group first. */
  blocs: readonly (readonly string[])[];
  textSimilarity: number;
  conformityFlips: number;
  /** Mean consensus (Tastle and Wierman) of the issues with two or more stances. */
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
  /**
   * Side, for or against, of more than half of the agents with a stance on the issue, otherwise
   * `split`; `none` if no agent has one.
   */
  verdict: 'support' | 'oppose' | 'split' | 'none';
  support: number;
};

/**
 * Statement on an issue, against the majority or as a side of a split issue, with all agents that
 * share it.
 */
export type Dissent = {
  issueId: string;
  side: Side;
  agentIds: readonly string[];
  agentNames: readonly string[];
  /**
   * Conclusion of these agents on the issue, otherwise their strongest key point on it, otherwise
   * the opening of their answer.
   */
  position: string;
  /** Strongest key point on the issue, quoted verbatim; `position` if no key point is about it. */
  strongestPoint: string;
  strongestPointId: string;
  wouldChangeMind: string;
};

export type Side = 'for' | 'against' | 'undecided';

export const sideOf = (stance: number): Side => {
  if (stance === 0) return 'undecided';
  return stance > 0 ? 'for' : 'against';
};

/** Statement of an agent on an issue that contradicts its stance on it. */
export type Contradiction = {
  issueId: string;
  /** Verbatim. */
  statement: string;
  says: Exclude<Side, 'undecided'>;
  votes: Side;
};

export type NamedContradiction = Contradiction & { agentId: string; agentName: string };

/**
 * Why rules wrote a synthesis: there is no provider, no model answered, or the model's text could
 * not be read, had invented numbers, or did not agree with the votes.
 */
export type TemplateReason =
  | 'no_provider'
  | 'unavailable'
  | 'form'
  | 'incomplete'
  | 'numbers'
  | 'votes';

export type Synthesis = {
  content: string;
  verdicts: readonly IssueVerdict[];
  dissent: readonly Dissent[];
  /** Statements on all sides of the split issues, of every agent with a stance on such an issue. */
  camps: readonly Dissent[];
  withoutStance: readonly { id: string; name: string }[];
  openQuestions: readonly string[];
  confidence: number;
  convergenceScore: number;
  rounds: number;
  absentAgents: readonly string[];
  stoppedBy: StopReason;
  isFromTemplate: boolean;
  /** Set if `isFromTemplate`; undefined in syntheses of older releases, too. */
  templateReason?: TemplateReason;
  contradictions: readonly NamedContradiction[];
};

export type Lever = {
  name: string;
  description: string;
  min: number;
  max: number;
  defaultValue: number;
};
