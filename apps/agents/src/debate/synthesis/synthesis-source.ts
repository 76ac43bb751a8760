import type { Issue, Round, StopReason } from '../debate.ts';

export type SynthesisSource = {
  question: string;
  issues: readonly Issue[];
  rounds: readonly Round[];
  stoppedBy: StopReason;
  threshold: number;
  seed: number;
  absentAgents: readonly string[];
};
