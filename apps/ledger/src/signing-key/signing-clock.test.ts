import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClockDifferenceError, openSigningClock } from './signing-clock.ts';
import type { SigningClock } from './signing-clock.ts';

const NOON = Date.parse('2026-06-01T12:00:00.000Z');
const MINUTE_MS = 60_000;
const MONTH_MS = 30 * 24 * 60 * MINUTE_MS;

describe('the clock of certificates', () => {
  let clocks: { wall: number; monotonic: number; database: number };
  let queries: number;
  let changes: (number | undefined)[];
  beforeEach(() => {
    clocks = { wall: NOON, monotonic: 5, database: NOON };
    queries = 0;
    changes = [];
  });
  const open = (): Promise<SigningClock> =>
    openSigningClock(
      {
        wall: () => clocks.wall,
        monotonic: () => clocks.monotonic,
        readDatabase: async () => {
          queries += 1;
          return clocks.database;
        },
      },
      (differenceMs) => changes.push(differenceMs),
    );
  const pass = (ms: number): void => {
    clocks.wall += ms;
    clocks.monotonic += ms;
    clocks.database += ms;
  };

  it('is that of the process, without a query while both clocks agree', async () => {
    const clock = await open();
    clocks.wall += MINUTE_MS - 1;
    pass(MONTH_MS);
    expect(await clock.now()).toBe(NOON + MONTH_MS + MINUTE_MS - 1);
    expect([queries, changes]).toEqual([1, []]);
  });

  it.each([MONTH_MS, -MONTH_MS, MINUTE_MS + 1, -MINUTE_MS - 1])(
    'refuses a time that was set by %s ms, until it is right again',
    async (ms) => {
      const clock = await open();
      clocks.wall += ms;
      const failure = await clock.now().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ClockDifferenceError);
      expect(failure).toMatchObject({ differenceMs: ms });
      await expect(clock.check()).rejects.toThrow(ClockDifferenceError);
      clocks.wall -= ms;
      expect(await clock.now()).toBe(NOON);
      expect(changes).toEqual([ms, undefined]);
    },
  );

  it('refuses its time when the clock of the database was set', async () => {
    const clock = await open();
    clocks.database += MONTH_MS;
    expect(await clock.now()).toBe(NOON);
    await expect(clock.check()).rejects.toThrow(ClockDifferenceError);
    await expect(clock.now()).rejects.toThrow(ClockDifferenceError);
  });

  it('goes on after its machine slept, when the monotonic clock stood still', async () => {
    const clock = await open();
    clocks.wall += MONTH_MS;
    clocks.database += MONTH_MS;
    expect(await clock.now()).toBe(NOON + MONTH_MS);
    expect([queries, changes]).toEqual([2, []]);
  });

  it('opens while the clocks differ, so that certificates can be read', async () => {
    clocks.wall += MONTH_MS;
    const clock = await open();
    await expect(clock.now()).rejects.toThrow(ClockDifferenceError);
  });
});
