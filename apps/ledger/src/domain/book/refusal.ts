import { conflict, ServiceError } from '@witan/contracts';
import type { ProofIdState } from './write.ts';

/** How soon a call in flight may have ended, in seconds. */
const RETRY_AFTER_S = '1';

/** The balance is empty, or below what the prompt alone is estimated to cost. */
export const balanceTooSmall = (): ServiceError =>
  new ServiceError(
    'INSUFFICIENT_QUOTA',
    "The workspace's token balance is too small for this call; ask its operator for credits.",
  );

/** The balance would do, but calls in flight hold it. */
export const balanceHeld = (): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    "Calls in flight hold the rest of the workspace's token balance; try again in a moment.",
    { fields: { code: 'balance_held', retryAfter: RETRY_AFTER_S } },
  );

/**
 * A proof id stands for one call; the code says how that one stands, unless it is a stranger's, and
 * `proof` names the certificate of one that is settled.
 */
export const proofIdUsed = (state: ProofIdState, proof = ''): ServiceError =>
  conflict('This proof id was used before; every call needs a fresh one.', {
    ...(state === 'foreign' ? {} : { code: `proof_id_${state}` }),
    ...(proof ? { proof } : {}),
  });
