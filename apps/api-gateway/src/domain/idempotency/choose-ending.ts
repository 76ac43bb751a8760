/** What becomes of a record once its call has an answer. */
export type Ending = 'finish' | 'forget' | 'release';

/** Answers below 500 that another try may change; official clients try them again. */
const PASSING: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 429, 499]);

/**
 * Whether the same call would be answered in the same way for ever (`finish`), or may be made
 * again. A failure that names its certificate is over, and one of a call that never left was none:
 * the next try gets a proof id of its own (`forget`). Of any other failure nobody here knows
 * whether something was sent: the next try asks the ledger under the same proof id (`release`),
 * which it takes for one call only.
 */
export const chooseEnding = (response: {
  status: number;
  proofId: string | undefined;
  isUnsent: boolean;
}): Ending => {
  if (response.status < 500 && !PASSING.has(response.status)) return 'finish';
  return response.proofId || response.isUnsent ? 'forget' : 'release';
};

/** What the ledger says of a proof id that it does not take again, and what that means here. */
const FATES: ReadonlyMap<string, Fate> = new Map([
  ['proof_id_open', 'running'],
  ['proof_id_settled', 'lost'],
  ['proof_id_released', 'given-up'],
]);

/**
 * `running`: an earlier try may still be under way, or the sweeper has not ended it yet. `lost`: it
 * was carried out and its answer is lost. `given-up`: it was ended before anything was sent.
 */
export type Fate = 'running' | 'lost' | 'given-up';

/** The fate of the earlier try whose proof id the ledger refuses; undefined for other failures. */
export const readFate = (code: string | undefined): Fate | undefined => FATES.get(code ?? '');
