import { describe, expect, it } from '@jest/globals';
import { DELETE_BATCH, deleteExpired } from './delete-expired.ts';

const batchesFor = async (records: number): Promise<number> => {
  let left = records;
  let batches = 0;
  await deleteExpired(async (limit) => {
    const deleted = Math.min(left, limit);
    left -= deleted;
    batches += 1;
    return deleted;
  });
  return batches;
};

describe('deleteExpired', () => {
  it.each([
    [0, 1],
    [1, 1],
    [DELETE_BATCH, 2],
    [3 * DELETE_BATCH + 1, 4],
    [1_000 * DELETE_BATCH, 100],
  ])('deletes %d records in %d batches', async (records, batches) => {
    expect(await batchesFor(records)).toBe(batches);
  });

  it('rejects if a batch fails', async () => {
    const failing = deleteExpired(async () => {
      throw new Error('database down');
    });
    await expect(failing).rejects.toThrow('database down');
  });
});
