import { describe, expect, it } from '@jest/globals';
import type { Log } from '@witan/service-kit';
import { createTopologyApplier } from './topology-applier.ts';

const openApplier = (outcomes: (() => Promise<void>)[]) => {
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => warnings.push(message) } as unknown as Log;
  let attempts = 0;
  const last = Promise.withResolvers<void>();
  const applier = createTopologyApplier({
    apply: () => {
      const outcome = outcomes[attempts]!;
      attempts += 1;
      if (attempts === outcomes.length) last.resolve();
      return outcome();
    },
    log,
  });
  return { applier, warnings, last: last.promise, attempts: () => attempts };
};

const succeed = async (): Promise<void> => {};
const fail = (): Promise<void> => Promise.reject(new Error('no broker'));

describe('createTopologyApplier', () => {
  it('returns true once the streams exist', async () => {
    const { applier, warnings } = openApplier([succeed]);
    await expect(applier.apply()).resolves.toBe(true);
    await applier.stop();
    expect(warnings).toEqual([]);
  });

  it('returns false if they do not exist, and retries in the background', async () => {
    const { applier, warnings, last } = openApplier([fail, fail, succeed]);
    await expect(applier.apply()).resolves.toBe(false);
    await last;
    await applier.stop();
    expect(warnings).toHaveLength(2);
  });

  it('stops retrying after stop', async () => {
    const { applier, attempts } = openApplier([fail, fail]);
    await applier.apply();
    await applier.stop();
    expect(attempts()).toBe(1);
  });
});
