import type { Refusal } from '../dialect.ts';
import type { ChatError } from './encode-error.ts';

const NO_MESSAGE = 'The provider refused the call and did not say why.';

const STATUS_TYPES: ReadonlyMap<number, { type: string; code: string }> = new Map([
  [402, { type: 'insufficient_quota', code: 'insufficient_quota' }],
  [429, { type: 'rate_limit_error', code: 'rate_limit_exceeded' }],
  [503, { type: 'server_error', code: 'overloaded' }],
  [529, { type: 'server_error', code: 'overloaded' }],
]);

/**
 * Encodes the error of a provider that uses another dialect. The provider's error code, if it sent
 * one, replaces the code that belongs to the status.
 */
export const encodeRefusal = (refusal: Refusal, { status }: { status: number }): ChatError => {
  const known = STATUS_TYPES.get(status);
  return {
    error: {
      message: refusal.message || NO_MESSAGE,
      type: known?.type ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: refusal.param || null,
      code: refusal.code || (known?.code ?? null),
    },
  };
};
