import { invalidRequest } from '@witan/contracts';
import type { CountingService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { countTokens } from '../counting/count-tokens.ts';
import type { CountingDeps } from '../counting/count-tokens.ts';

export const createCountTokens =
  (deps: CountingDeps): Handlers<typeof CountingService>['countTokens'] =>
  (request, call) => {
    if (!call.workspaceId) throw invalidRequest('Counting needs a workspace.');
    return countTokens(request, call, deps);
  };
