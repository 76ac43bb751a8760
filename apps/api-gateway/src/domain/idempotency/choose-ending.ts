export type Ending = 'finish' | 'forget' | 'release';

/** Statuses below 500 that a retry may change; official clients retry them. */
const PASSING: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 429, 499]);

/**
 * Returns `finish` if a retry would always get the same response, and `forget` if the failure names
 * its certificate or nothing was sent: the retry gets a new proof id. Otherwise it is unknown
 * whether something was sent, and `release` lets the retry use the same proof id, which the ledger
 * accepts for one call only.
 */
export const chooseEnding = (response: {
  status: number;
  proofId: string | undefined;
  isUnsent: boolean;
}): Ending => {
  if (response.status < 500 && !PASSING.has(response.status)) return 'finish';
  return response.proofId || response.isUnsent ? 'forget' : 'release';
};

/** Error codes of the ledger for a proof id that was used before. */
const FATES: ReadonlyMap<string, Fate> = new Map([
  ['proof_id_open', 'running'],
  ['proof_id_settled', 'lost'],
  ['proof_id_released', 'given-up'],
]);

/**
 * `running`: an earlier attempt may still be active, or the sweeper has not ended it yet. `lost`:
 * the call ran and its response is lost. `given-up`: it ended before anything was sent.
 */
export type Fate = 'running' | 'lost' | 'given-up';

export const readFate = (code: string | undefined): Fate | undefined => FATES.get(code ?? '');
