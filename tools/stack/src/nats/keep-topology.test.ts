import { describe, expect, it } from '@jest/globals';
import type { Log } from '@witan/service-kit';
import { createTopologyKeeper } from './keep-topology.ts';

const openKeeper = (outcomes: (() => Promise<void>)[]) => {
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => warnings.push(message) } as unknown as Log;
  let attempts = 0;
  const last = Promise.withResolvers<void>();
  const keeper = createTopologyKeeper({
    apply: () => {
      const outcome = outcomes[attempts]!;
      attempts += 1;
      if (attempts === outcomes.length) last.resolve();
      return outcome();
    },
    log,
  });
  return { keeper, warnings, last: last.promise, attempts: () => attempts };
};

const succeed = async (): Promise<void> => {};
const fail = (): Promise<void> => Promise.reject(new Error('no broker'));

describe('createTopologyKeeper', () => {
  it('says when the streams are there', async () => {
    const { keeper, warnings } = openKeeper([succeed]);
    await expect(keeper.apply()).resolves.toBe(true);
    await keeper.stop();
    expect(warnings).toEqual([]);
  });

  it('says when they are not, and goes on until they are', async () => {
    const { keeper, warnings, last } = openKeeper([fail, fail, succeed]);
    await expect(keeper.apply()).resolves.toBe(false);
    await last;
    await keeper.stop();
    expect(warnings).toHaveLength(2);
  });

  it('tries no more once it is stopped', async () => {
    const { keeper, attempts } = openKeeper([fail, fail]);
    await keeper.apply();
    await keeper.stop();
    expect(attempts()).toBe(1);
  });
});
