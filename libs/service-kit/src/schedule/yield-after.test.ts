import { describe, expect, it } from '@jest/globals';
import { countTurns } from '@witan/testing';
import { yieldAfter } from './yield-after.ts';

const LONG = 1024 * 1024;

describe('a long step', () => {
  it('is the only one in its turn of the event loop, however many calls have some', async () => {
    const work = async (): Promise<void> => {
      for (let step = 0; step < 3; step += 1) await yieldAfter(LONG);
    };
    const { turns } = await countTurns(Promise.all([work(), work(), work(), work()]));
    expect(turns).toBeGreaterThanOrEqual(11);
  });

  it('does not delay a short one', () => {
    expect(yieldAfter(1_000)).toBeUndefined();
  });
});
