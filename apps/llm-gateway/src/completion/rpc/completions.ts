import { invalidRequest, ServiceError } from '@witan/contracts';
import type { CompletionService, CountingService, PreviewService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { CompletionDeps, CompletionEvent } from '../completion.ts';
import { countTokens } from '../counting/count-tokens.ts';
import type { CountingDeps } from '../counting/count-tokens.ts';
import type { EndedCall } from '../end-attempt.ts';
import type { FailedCall } from '../outcome.ts';
import { previewCall } from '../preview/preview-call.ts';
import type { PreviewDeps } from '../preview/preview-call.ts';
import { runCompletion } from '../run-completion.ts';
import { runEditedCompletion } from '../run-edited-completion.ts';

export const createCompletionHandlers = (
  deps: CompletionDeps,
): Handlers<typeof CompletionService> => ({
  complete: (request, call) => {
    checkWorkspace(call, 'A completion');
    return throwFailure(runCompletion(request, call, deps));
  },
  completeAs: (messages, call) => {
    checkWorkspace(call, 'A completion');
    return throwFailure(runEditedCompletion(messages, call, deps));
  },
});

export const createCountingHandlers = (deps: CountingDeps): Handlers<typeof CountingService> => ({
  countTokens: (request, call) => {
    checkWorkspace(call, 'Counting');
    return countTokens(request, call, deps);
  },
});

export const createPreviewHandlers = (deps: PreviewDeps): Handlers<typeof PreviewService> => ({
  previewCall: (request, call) => {
    checkWorkspace(call, 'A preview');
    return previewCall(request, call, deps);
  },
});

const checkWorkspace = ({ workspaceId }: { workspaceId: string }, subject: string): void => {
  if (!workspaceId) throw invalidRequest(`${subject} needs a workspace.`);
};

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
