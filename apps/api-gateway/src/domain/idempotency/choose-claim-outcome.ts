export type ClaimOutcome = 'finish' | 'discard' | 'release';

/** Statuses below 500 that a retry may change; official clients retry them. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 429, 499]);

/**
 * Returns `finish` if a retry would always get the same response, and `discard` if the failure
 * names its certificate or nothing was sent: the retry gets a new proof id. Otherwise it is unknown
 * whether something was sent, and `release` lets the retry use the same proof id, which the ledger
 * accepts for one call only.
 */
export const chooseClaimOutcome = (response: {
  status: number;
  proofId: string | undefined;
  isUnsent: boolean;
}): ClaimOutcome => {
  if (response.status < 500 && !TRANSIENT_STATUSES.has(response.status)) return 'finish';
  return response.proofId || response.isUnsent ? 'discard' : 'release';
};

/** Error codes of the ledger for a proof id that was used before. */
const ATTEMPT_STATES: ReadonlyMap<string, AttemptState> = new Map([
  ['proof_id_open', 'running'],
  ['proof_id_settled', 'lost'],
  ['proof_id_released', 'unsent'],
]);

/**
 * State of an earlier attempt. `running`: it may still be active, or the sweeper has not ended it
 * yet. `lost`: it ran and its response is lost. `unsent`: it ended before anything was sent.
 */
export type AttemptState = 'running' | 'lost' | 'unsent';

export const readAttemptState = (code: string | undefined): AttemptState | undefined =>
  ATTEMPT_STATES.get(code ?? '');
