import { describe, expect, it } from '@jest/globals';
import { createResetStale, STALE_DELAY_MS } from './reset-stale.ts';

const DELAY_MS = 1_000;

const open = (delayMs?: number) => {
  const state = { now: 0, documents: 0, resets: [] as number[] };
  const resetStale = createResetStale({
    stale: {
      exist: async () => state.documents > 0,
      reset: async () => {
        const reset = Math.min(2, state.documents);
        state.documents -= reset;
        return reset;
      },
    },
    now: () => state.now,
    delayMs,
    onReset: (documents) => state.resets.push(documents),
  });
  return { state, resetStale };
};

describe('createResetStale', () => {
  it('queues documents again that were stale for the whole delay, in batches', async () => {
    const { state, resetStale } = open(DELAY_MS);
    state.now = 5 * DELAY_MS;
    state.documents = 3;
    expect(await resetStale()).toBe(false);
    state.now += DELAY_MS - 1;
    expect(await resetStale()).toBe(false);
    state.now += 1;
    expect([await resetStale(), await resetStale(), await resetStale()]).toEqual([
      true,
      true,
      false,
    ]);
    expect(state.resets).toEqual([2, 1]);
  });

  it('waits again after a time without stale documents', async () => {
    const { state, resetStale } = open(DELAY_MS);
    state.documents = 1;
    await resetStale();
    state.documents = 0;
    state.now = DELAY_MS;
    await resetStale();
    state.documents = 1;
    expect(await resetStale()).toBe(false);
    expect(state.resets).toEqual([]);
  });

  it('waits longer than a rollout by default', async () => {
    const { state, resetStale } = open();
    state.documents = 1;
    await resetStale();
    state.now = STALE_DELAY_MS - 1;
    expect(await resetStale()).toBe(false);
    state.now = STALE_DELAY_MS;
    expect(await resetStale()).toBe(true);
  });
});
