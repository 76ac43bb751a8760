import { addUsage, NO_USAGE } from '@witan/dialects';
import type { TokenUsage } from '@witan/dialects';
import type { StoredDebate } from './debate-store.ts';

/**
 * Returns the sum of the tokens of all stored model calls; the call of an answer that is later
 * reused as stale is counted once.
 */
export const totalUsage = ({
  frame,
  rounds,
  openRound,
  synthesis,
}: Pick<StoredDebate, 'frame' | 'rounds' | 'openRound' | 'synthesis'>): TokenUsage => {
  const answers = [...rounds, ...(openRound ? [openRound] : [])].flatMap((round) => round.answers);
  const currentAnswers = answers.filter(({ isStale }) => !isStale);
  return [frame, ...currentAnswers, synthesis]
    .map((item) => item?.usage ?? NO_USAGE)
    .reduce(addUsage, NO_USAGE);
};

export const totalProofs = ({
  frame,
  rounds,
  synthesis,
}: Pick<StoredDebate, 'frame' | 'rounds' | 'synthesis'>): string[] => {
  const answers = rounds.flatMap((round) => round.answers);
  return [frame, ...answers, synthesis].flatMap((item) => item?.proofIds ?? []);
};
