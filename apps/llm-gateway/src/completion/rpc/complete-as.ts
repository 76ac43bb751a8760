import { invalidRequest } from '@witan/contracts';
import type { CompletionService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { runEditedCompletion } from '../run-edited-completion.ts';
import type { CompletionDeps } from '../completion.ts';
import { throwFailure } from './throw-failure.ts';

export const createCompleteAs =
  (deps: CompletionDeps): Handlers<typeof CompletionService>['completeAs'] =>
  (messages, call) => {
    if (!call.workspaceId) throw invalidRequest('A completion needs a workspace.');
    return throwFailure(runEditedCompletion(messages, call, deps));
  };
