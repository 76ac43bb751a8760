import { describe, expect, it } from '@jest/globals';
import { readLostAsFailed } from './lost-response.ts';

const CREATED_S = 1_700_000_000;
const TIMEOUT_MS = 100_000;
const stored = {
  ...{ id: 'resp_1', previousId: '', proofId: 'pf_1', input: [], isLocal: false, modules: [] },
  response: { id: 'resp_1', status: 'queued', created_at: CREATED_S, output: [] },
};

const readAt = async (atMs: number, status = 'queued'): Promise<unknown> => {
  const found = { ...stored, response: { ...stored.response, status } };
  const finder = readLostAsFailed(
    { find: async () => found, findChain: async () => [found] },
    { timeoutMs: TIMEOUT_MS, clock: () => CREATED_S * 1_000 + atMs },
  );
  const [chained] = (await finder.findChain('ws_a', 'resp_1'))!;
  expect(await finder.find('ws_a', 'resp_1')).toEqual(chained);
  return chained!.response;
};

describe('a response in the background', () => {
  it('is lost if it is still queued long after the longest call', async () => {
    expect(await readAt(TIMEOUT_MS)).toMatchObject({ status: 'queued' });
    expect(await readAt(TIMEOUT_MS + 60_001)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
    });
    expect(await readAt(1e9, 'completed')).toMatchObject({ status: 'completed' });
  });
});
