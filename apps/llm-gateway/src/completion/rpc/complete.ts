import { invalidRequest } from '@witan/contracts';
import type { CompletionService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { runCompletion } from '../run-completion.ts';
import type { CompletionDeps } from '../completion.ts';
import { throwFailure } from './throw-failure.ts';

export const createComplete =
  (deps: CompletionDeps): Handlers<typeof CompletionService>['complete'] =>
  (request, call) => {
    if (!call.workspaceId) throw invalidRequest('A completion needs a workspace.');
    return throwFailure(runCompletion(request, call, deps));
  };
