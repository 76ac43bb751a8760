import type { Issue, Round, StopReason } from '../debate.ts';

/** A debate whose rounds are over. */
export type SynthesisSource = {
  question: string;
  issues: readonly Issue[];
  /** At least one; the last one is what the council says. */
  rounds: readonly Round[];
  stoppedBy: StopReason;
  /** Score from which on the council agrees. */
  threshold: number;
  seed: number;
  /** Names of those whose last answer is not there. */
  absentAgents: readonly string[];
};
