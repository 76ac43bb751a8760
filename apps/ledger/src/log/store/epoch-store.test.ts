import { describe, expect, it } from '@jest/globals';
import type { Database } from '@witan/service-kit';
import { createEpochStore } from './epoch-store.ts';

describe('the store of epochs', () => {
  const runWith = (constraint: string): Promise<unknown> => {
    const violation = Object.assign(new Error(constraint), { code: '23505', constraint });
    const database = { scopedClient: () => Promise.reject(violation) };
    return createEpochStore(database as unknown as Database).run(() => Promise.resolve(1));
  };

  it('writes nothing if another replica has written the epoch', async () => {
    expect(await runWith('epoch_pkey')).toBeUndefined();
  });

  it.each(['tree_map_key_key', 'tree_head_pkey', 'tree_head_workspace_id_epoch_key'])(
    'reports a violation of %s',
    async (constraint) => {
      await expect(runWith(constraint)).rejects.toThrow(constraint);
    },
  );
});
