/** What becomes of a record once its call has an answer. */
export type Ending = 'finish' | 'forget' | 'release';

/** Answers below 500 that another try may change; official clients try them again. */
const PASSING: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 429, 499]);

/**
 * Whether the same call would be answered in the same way for ever (`finish`), or may be made
 * again. A failure that its client was told of is over: a try that reached a provider has its own
 * certificate, and the next one gets a proof id of its own (`forget`).
 *
 * Not so when the claim was taken over from one that ended without a word: as long as the ledger
 * has not taken the proof id from the new owner, the earlier call may have been paid for under it.
 * The next try asks the ledger again, under the same id (`release`).
 */
export const chooseEnding = (
  answer: { status: number; proofId: string | undefined },
  claim: { isTakenOver: boolean; proofId: string },
): Ending => {
  if (answer.status < 500 && !PASSING.has(answer.status)) return 'finish';
  return claim.isTakenOver && answer.proofId !== claim.proofId ? 'release' : 'forget';
};
