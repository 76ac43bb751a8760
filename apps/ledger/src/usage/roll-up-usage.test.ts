import { describe, expect, it } from '@jest/globals';
import { rollUpUsage } from './roll-up-usage.ts';

describe('rollUpUsage', () => {
  it('sums up the other workspaces if one fails, and reports that one', async () => {
    const failures: unknown[] = [];
    const store = {
      findBehind: async () => ['ws_1', 'ws_2', 'ws_3'],
      rollUp: async (workspaceId: string) => {
        if (workspaceId === 'ws_2') throw new Error('too large');
        return 7;
      },
    };
    const options = {
      stopping: new AbortController().signal,
      onFailure: (error: unknown, workspaceId: string) => failures.push([workspaceId, error]),
    };
    await expect(rollUpUsage(store, options)).resolves.toBe(14);
    expect(failures).toEqual([['ws_2', new Error('too large')]]);
  });
});
