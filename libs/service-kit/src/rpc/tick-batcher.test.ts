import { describe, expect, it } from '@jest/globals';
import { createTickBatcher } from './tick-batcher.ts';

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('the turn batcher', () => {
  it('hands on together, in order, what comes in one turn', async () => {
    const batches: number[][] = [];
    const push = createTickBatcher<number>((items) => void batches.push(items));
    push(1);
    push(2);
    await Promise.resolve();
    // Microtasks belong to the same turn.
    push(3);
    expect(batches).toEqual([]);
    await nextTurn();
    push(4);
    await nextTurn();
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('does not wake when nothing came', async () => {
    let flushes = 0;
    createTickBatcher(() => {
      flushes += 1;
    });
    await nextTurn();
    expect(flushes).toBe(0);
  });

  it('keeps what comes while it hands on for the next turn', async () => {
    const batches: number[][] = [];
    const push = createTickBatcher<number>((items) => {
      batches.push(items);
      if (items[0] === 1) push(2);
    });
    push(1);
    await nextTurn();
    await nextTurn();
    expect(batches).toEqual([[1], [2]]);
  });
});
