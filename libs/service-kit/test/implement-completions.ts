import { invalidRequest } from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import { implement } from '../src/rpc/transport.ts';
import type { Handlers, Implementation } from '../src/rpc/transport.ts';

type Completions = Handlers<typeof CompletionService>;

export const implementCompletions = (handlers: Partial<Completions>): Implementation =>
  implement(CompletionService, { complete: reject, completeAs: reject, ...handlers });

const reject = (): never => {
  throw invalidRequest('This call is not part of the test.');
};
