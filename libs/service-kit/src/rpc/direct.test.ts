import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { CompletionService, ModelService } from '@witan/contracts/services';
import { allowAll } from '../../test/allow-all.ts';
import { createLog } from '../log/create-log.ts';
import { createDispatcher } from './dispatcher.ts';
import { createInProcessTransport } from './in-process.ts';
import { implement } from './transport.ts';

const options = { workspaceId: 'ws_a', requestId: 'req-12345678' };

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return isServiceError(error) ? error.reason : `no ServiceError: ${String(error)}`;
  }
  return 'no failure';
};

describe('a function for callers of the same process', () => {
  const open = (caller: string) => {
    const offered = implement(ModelService, { listModels: async () => ({}) }, {
      listModels: async (request: { at: string }, call, extra: { note: string }) => {
        if (request.at === 'fail') throw new TypeError('bug');
        return `${request.at} ${extra.note} ${call.caller} ${call.workspaceId}`;
      },
    } as const);
    const dispatcher = createDispatcher({
      implementations: [offered],
      callers: { caller: allowAll([offered]) },
      log: createLog({ service: 'test', level: 'silent' }),
    });
    return createInProcessTransport({ caller, dispatcher: () => dispatcher });
  };

  it('gets the request, what no message holds, and the caller', async () => {
    const list = open('caller').direct!(ModelService.method.listModels)!;
    expect(await list({ at: 'here' }, options, { note: 'now' })).toBe('here now caller ws_a');
  });

  it('is refused to callers outside the call graph, and fails as an RPC does', async () => {
    const method = ModelService.method.listModels;
    expect(await reasonOf(open('other').direct!(method)!({}, options))).toBe('CALLER_REFUSED');
    expect(await reasonOf(open('caller').direct!(method)!({ at: 'fail' }, options))).toBe(
      'INTERNAL',
    );
  });

  it('is undefined for a method without one', () => {
    expect(open('caller').direct!(CompletionService.method.complete)).toBeUndefined();
  });
});
