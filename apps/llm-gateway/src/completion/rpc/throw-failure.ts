import { ServiceError } from '@witan/contracts';
import type { CompletionEvent } from '../completion.ts';
import type { EndedCall } from '../end-attempt.ts';
import type { FailedCall } from '../outcome.ts';

/** Passes a completion's events to the caller. Throws the failure of a call without an answer. */
export async function* throwFailure(
  completion: AsyncGenerator<CompletionEvent, EndedCall | FailedCall>,
): AsyncGenerator<CompletionEvent> {
  const call = yield* completion;
  if (call.state === 'failed') throw toServiceError(call);
}

/**
 * Returns the failure with the fields on which callers can act: `proof` names its certificate,
 * `unsent` means that no provider received the call, `retryAfter` is the provider's advice. Fields
 * of the ledger, such as `code`, stay.
 */
const toServiceError = ({ failure, proofId, isUnsent }: FailedCall): ServiceError => {
  const { error, retryAfter } = failure;
  const { unsent: _unsent, ...fields } = error.fields;
  return new ServiceError(error.reason, error.message, {
    cause: error.cause,
    fields: {
      ...fields,
      ...(retryAfter ? { retryAfter } : {}),
      ...(proofId ? { proof: proofId } : {}),
      ...(isUnsent ? { unsent: 'true' } : {}),
    },
  });
};
