import { describe, expect, it } from '@jest/globals';
import { trackKeyUses } from './track-key-uses.ts';

const MINUTE_MS = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00.000Z');

const open = () => {
  const world = { now: NOON, fails: false, saves: [] as [string, Date][][], failures: 0 };
  const uses = trackKeyUses({
    save: async (batch) => {
      if (world.fails) throw new Error('database down');
      world.saves.push([...batch]);
    },
    clock: () => world.now,
    onFailure: () => {
      world.failures += 1;
    },
  });
  return { world, uses };
};

describe('the uses of keys', () => {
  it('are saved to the minute, all keys together', async () => {
    const { world, uses } = open();
    world.now += 59_999;
    uses.note('a');
    uses.note('b');
    expect(world.saves).toEqual([]);
    await uses.flush();
    expect(world.saves).toEqual([
      [
        ['a', new Date(NOON)],
        ['b', new Date(NOON)],
      ],
    ]);
  });

  it('are saved once per minute, however many there are', async () => {
    const { world, uses } = open();
    for (let second = 0; second < 60; second += 1) {
      world.now = NOON + second * 1_000;
      uses.note('a');
      await uses.flush();
    }
    expect(world.saves).toHaveLength(1);
    world.now = NOON + MINUTE_MS;
    uses.note('a');
    await uses.flush();
    expect(world.saves[1]).toEqual([['a', new Date(NOON + MINUTE_MS)]]);
  });

  it('cost nothing when there were none', async () => {
    const { world, uses } = open();
    await uses.flush();
    expect(world.saves).toEqual([]);
  });

  it('stay pending when they could not be saved, the latest of each key', async () => {
    const { world, uses } = open();
    world.fails = true;
    uses.note('a');
    uses.note('b');
    await uses.flush();
    expect(world).toMatchObject({ saves: [], failures: 1 });
    world.fails = false;
    world.now += MINUTE_MS;
    uses.note('a');
    await uses.flush();
    expect(new Map(world.saves[0])).toEqual(
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
    uses.note('a');
    void uses.flush();
    await Promise.resolve();
    uses.note('b');
    const stopped = uses.flush();
    gate.resolve();
    await stopped;
    expect(saved).toEqual(['a', 'b']);
  });

  it('take bounded memory', async () => {
    const { world, uses } = open();
    for (let number = 0; number < 10_001; number += 1) uses.note(`key${number}`);
    await uses.flush();
    expect(world.saves[0]).toHaveLength(10_000);
  });
});
