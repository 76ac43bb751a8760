import { describe, expect, it } from '@jest/globals';
import { createTickBatcher } from './tick-batcher.ts';

const nextTick = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('createTickBatcher', () => {
  it('flushes the items of one tick together and in order', async () => {
    const batches: number[][] = [];
    const push = createTickBatcher<number>((items) => void batches.push(items));
    push(1);
    push(2);
    await Promise.resolve();
    // Items pushed by microtasks belong to the same tick.
    push(3);
    expect(batches).toEqual([]);
    await nextTick();
    push(4);
    await nextTick();
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('does not flush without items', async () => {
    let flushes = 0;
    createTickBatcher(() => {
      flushes += 1;
    });
    await nextTick();
    expect(flushes).toBe(0);
  });

  it('defers items pushed during a flush to the next tick', async () => {
    const batches: number[][] = [];
    const push = createTickBatcher<number>((items) => {
      batches.push(items);
      if (items[0] === 1) push(2);
    });
    push(1);
    await nextTick();
    await nextTick();
    expect(batches).toEqual([[1], [2]]);
  });
});
