import { describe, expect, it } from '@jest/globals';
import { trackKeyUses } from './key-directory.ts';

const MINUTE_MS = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00.000Z');

const open = () => {
  const fakes = { now: NOON, fails: false, saves: [] as [string, Date][][], failures: 0 };
  const uses = trackKeyUses({
    save: async (batch) => {
      if (fakes.fails) throw new Error('database down');
      fakes.saves.push([...batch]);
    },
    clock: () => fakes.now,
    onFailure: () => {
      fakes.failures += 1;
    },
  });
  return { fakes, uses };
};

describe('the uses of keys', () => {
  it('are saved to the minute, all keys in one batch', async () => {
    const { fakes, uses } = open();
    fakes.now += 59_999;
    uses.record('a');
    uses.record('b');
    expect(fakes.saves).toEqual([]);
    await uses.flush();
    expect(fakes.saves).toEqual([
      [
        ['a', new Date(NOON)],
        ['b', new Date(NOON)],
      ],
    ]);
  });

  it('are saved once per minute, however many there are', async () => {
    const { fakes, uses } = open();
    for (let second = 0; second < 60; second += 1) {
      fakes.now = NOON + second * 1_000;
      uses.record('a');
      await uses.flush();
    }
    expect(fakes.saves).toHaveLength(1);
    fakes.now = NOON + MINUTE_MS;
    uses.record('a');
    await uses.flush();
    expect(fakes.saves[1]).toEqual([['a', new Date(NOON + MINUTE_MS)]]);
  });

  it('are not saved if there are none', async () => {
    const { fakes, uses } = open();
    await uses.flush();
    expect(fakes.saves).toEqual([]);
  });

  it('stay pending after a failed save, the latest of each key', async () => {
    const { fakes, uses } = open();
    fakes.fails = true;
    uses.record('a');
    uses.record('b');
    await uses.flush();
    expect(fakes).toMatchObject({ saves: [], failures: 1 });
    fakes.fails = false;
    fakes.now += MINUTE_MS;
    uses.record('a');
    await uses.flush();
    expect(new Map(fakes.saves[0])).toEqual(
      new Map([
        ['a', new Date(NOON + MINUTE_MS)],
        ['b', new Date(NOON)],
      ]),
    );
  });

  it('are all saved by a flush during another flush', async () => {
    const saved: string[] = [];
    const gate = Promise.withResolvers<void>();
    const uses = trackKeyUses({
      save: async (batch) => {
        await gate.promise;
        saved.push(...batch.keys());
      },
      clock: () => NOON,
      onFailure: () => {},
    });
    uses.record('a');
    void uses.flush();
    await Promise.resolve();
    uses.record('b');
    const finalFlush = uses.flush();
    gate.resolve();
    await finalFlush;
    expect(saved).toEqual(['a', 'b']);
  });

  it('use bounded memory', async () => {
    const { fakes, uses } = open();
    for (let number = 0; number < 10_001; number += 1) uses.record(`key${number}`);
    await uses.flush();
    expect(fakes.saves[0]).toHaveLength(10_000);
  });
});
