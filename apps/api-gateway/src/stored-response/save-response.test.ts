import { describe, expect, it } from '@jest/globals';
import { createReplaceResponse } from './save-response.ts';
import type { SaveFailure } from './save-response.ts';

const RESPONSE = {
  ...{
    id: 'resp_1',
    previousId: '',
    proofId: 'pf_1',
    input: [],
    isLocal: false,
    modules: [],
    response: {},
  },
};
const DOWN = new Error('the database is down');

/** Replaces a response in a store that fails the first `failures` times. */
const replace = async (failures: number, signal = new AbortController().signal) => {
  const delays: number[] = [];
  const reported: SaveFailure[] = [];
  let attempts = 0;
  const store = {
    replace: async (): Promise<void> => {
      attempts += 1;
      if (attempts <= failures) throw DOWN;
    },
  };
  const replaceResponse = createReplaceResponse(store, {
    signal,
    wait: async (ms) => void delays.push(ms),
    onFailure: (failure) => void reported.push(failure),
  });
  await replaceResponse(RESPONSE, { workspaceId: 'ws_a', requestId: 'req_1' });
  return { attempts, delays, reported };
};

describe('the end of a response in the background', () => {
  it('is stored at a later attempt', async () => {
    expect(await replace(2)).toEqual({ attempts: 3, delays: [100, 500], reported: [] });
  });

  it('is reported when the last attempt fails', async () => {
    const reported = [{ err: DOWN, requestId: 'req_1' }];
    const delays = [100, 500, 2_000];
    expect(await replace(9)).toEqual({ attempts: 4, delays, reported });
    expect(await replace(9, AbortSignal.abort())).toEqual({ attempts: 1, delays: [], reported });
  });
});
