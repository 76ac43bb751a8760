import { conflict, ServiceError } from '@witan/contracts';
import type { ProofIdState } from './ledger-write.ts';

/** In seconds. Calls in flight may release tokens meanwhile. */
const RETRY_AFTER_S = '1';

export const balanceTooSmall = (): ServiceError =>
  new ServiceError(
    'INSUFFICIENT_QUOTA',
    "The workspace's token balance is too small for this call; ask its operator for credits.",
  );

export const balanceHeld = (): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    "Calls in flight hold the rest of the workspace's token balance; try again in a moment.",
    { fields: { code: 'balance_held', retryAfter: RETRY_AFTER_S } },
  );

/**
 * The error code names the state of the call, unless it belongs to another workspace. `proof` is
 * the id of its certificate, if it is settled.
 */
export const proofIdUsed = (state: ProofIdState, proof = ''): ServiceError =>
  conflict('This proof id was used before; every call needs a fresh one.', {
    ...(state === 'foreign' ? {} : { code: `proof_id_${state}` }),
    ...(proof ? { proof } : {}),
  });
