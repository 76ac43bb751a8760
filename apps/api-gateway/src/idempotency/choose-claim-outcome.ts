type ClaimOutcome = 'finish' | 'discard' | 'release';

/** Statuses below 500 for which a retry may get another response, so the response is not stored. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 429, 499]);

/**
 * Returns what to do with a claim after its call. `finish` stores the response, because a retry
 * would get the same one. `discard` gives the retry a new proof id, because the failure names its
 * certificate (`proofId`) or nothing was sent. `release` lets the retry use the same proof id,
 * because it is unknown whether something was sent, and the ledger accepts a proof id for one call
 * only.
 */
export const chooseClaimOutcome = (response: {
  status: number;
  proofId: string | undefined;
  isUnsent: boolean;
}): ClaimOutcome => {
  if (response.status < 500 && !TRANSIENT_STATUSES.has(response.status)) return 'finish';
  return response.proofId || response.isUnsent ? 'discard' : 'release';
};

/**
 * Maps the ledger's error code for a proof id that was used before to the state of that earlier
 * attempt.
 */
const ATTEMPT_STATES: ReadonlyMap<string, AttemptState> = new Map([
  ['proof_id_open', 'running'],
  ['proof_id_settled', 'lost'],
  ['proof_id_released', 'unsent'],
]);

/**
 * State of an earlier attempt under the same proof id. `running`: it may still be active. `lost`:
 * it was carried out, but its response is lost. `unsent`: it ended before anything was sent.
 */
export type AttemptState = 'running' | 'lost' | 'unsent';

export const readAttemptState = (code: string | undefined): AttemptState | undefined =>
  ATTEMPT_STATES.get(code ?? '');
