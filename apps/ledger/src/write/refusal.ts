import { conflict, ServiceError } from '@witan/contracts';
import type { ProofIdState } from './ledger-write.ts';

/** Short, because calls in flight may release held tokens at any moment. */
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
 * Returns the error for a proof id that was used before. Its code names the state of the earlier
 * call, unless that belongs to another workspace. `proof` is the id of the earlier call's
 * certificate, if it is settled.
 */
export const proofIdUsed = (state: ProofIdState, proof = ''): ServiceError =>
  conflict('This proof id was used before; every call needs a fresh one.', {
    ...(state === 'foreign' ? {} : { code: `proof_id_${state}` }),
    ...(proof ? { proof } : {}),
  });
