import type { Issue, Round, StopReason, Answer } from '../debate.ts';
import { shuffle } from '../prompt/shuffle.ts';
import { toLetter } from '../prompt/to-letter.ts';

export type SynthesisSource = {
  question: string;
  issues: readonly Issue[];
  rounds: readonly Round[];
  stoppedBy: StopReason;
  threshold: number;
  seed: number;
  absentAgents: readonly string[];
};

export type Member = { letter: string; answer: Answer };

/**
 * Assigns letters to agents in an order that depends only on the seed, so that the model that
 * writes the synthesis sees neither their original order nor their names, which are often roles.
 */
export const anonymise = (answers: readonly Answer[], seed: number): Member[] => {
  const sorted = answers.toSorted((one, other) => (one.agentId < other.agentId ? -1 : 1));
  return shuffle(sorted, seed).map((answer, index) => ({ letter: toLetter(index), answer }));
};
