import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  createConnectionSemaphore,
  PERMIT_IDLE_MAX_MS,
  CONNECTIONS_MAX,
  WAIT_MAX_MS,
} from './create-connection-semaphore.ts';
import type {
  ReleaseConnectionPermit,
  ConnectionSemaphore,
} from './create-connection-semaphore.ts';

const asIs = (error: unknown) => error;

describe('places for opening connections', () => {
  let idleMs = 0;
  let looks = 0;
  let semaphore: ConnectionSemaphore;
  let order: string[] = [];
  const leaves: ReleaseConnectionPermit[] = [];
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    idleMs = 1_000;
    order = [];
    leaves.length = 0;
    semaphore = createConnectionSemaphore({
      idleMs: () => {
        looks += 1;
        return idleMs;
      },
    });
  });
  afterEach(() => {
    semaphore.close();
    jest.useRealTimers();
  });

  /** Takes a place and notes when it has it. */
  const acquire = async (scope: string, signal?: AbortSignal) => {
    leaves.push(await semaphore.acquire(scope, signal));
    order.push(scope);
  };
  const fill = async () => {
    for (let n = 0; n < CONNECTIONS_MAX; n += 1) await acquire('full');
    order = [];
  };
  const pass = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms);
  };

  /** Nobody looks for places that were lost; timers of other files are not this one's to count. */
  const expectAsleep = async () => {
    const before = looks;
    await pass(1_000);
    expect(looks).toBe(before);
  };

  it('are had at once while there are some, and then when one is given back', async () => {
    await fill();
    void acquire('a');
    void acquire('b');
    await pass(1_000);
    expect(order).toEqual([]);
    leaves[0]!();
    leaves[0]!();
    await pass(0);
    expect(order).toEqual(['a']);
    leaves[1]!();
    await pass(0);
    expect(order).toEqual(['a', 'b']);
    await expectAsleep();
  });

  it('go to every scope once before any has a second', async () => {
    await fill();
    for (const scope of ['a', 'a', 'a', 'b', 'c', 'b']) void acquire(scope);
    for (let n = 0; n < 6; n += 1) {
      leaves[n]!();
      await pass(0);
    }
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('are lost to those who made the thread wait, and to nobody while it works', async () => {
    await fill();
    for (let n = 0; n <= CONNECTIONS_MAX; n += 1) void acquire(`next-${n}`);
    idleMs += PERMIT_IDLE_MAX_MS - 1;
    await pass(1_000);
    expect(order).toEqual([]);
    idleMs += 1;
    await pass(1_000);
    expect(order).toHaveLength(CONNECTIONS_MAX);
    // Who comes back late gives back nothing that others hold.
    leaves[0]!();
    await pass(1_000);
    expect(order).toHaveLength(CONNECTIONS_MAX);
    leaves.at(-1)!();
    await pass(0);
    expect(order).toHaveLength(CONNECTIONS_MAX + 1);
  });

  it('are for scopes that hang once nobody else waits, until they are connected', async () => {
    await fill();
    for (const scope of ['full', 'full', 'a']) void acquire(scope);
    idleMs += PERMIT_IDLE_MAX_MS;
    await pass(100);
    expect(order).toEqual(['a', 'full', 'full']);
    for (const leave of leaves.slice(0, CONNECTIONS_MAX)) leave();
    for (let n = 3; n < CONNECTIONS_MAX; n += 1) await acquire('others');
    order = [];
    for (const scope of ['full', 'b']) void acquire(scope);
    for (const leave of leaves.slice(-2)) leave();
    await pass(0);
    expect(order).toEqual(['full', 'b']);
  });

  it('are waited for no longer than promised', async () => {
    await fill();
    void acquire('late');
    await pass(WAIT_MAX_MS - 1);
    expect(order).toEqual([]);
    await pass(1);
    expect(order).toEqual(['late']);
    await expectAsleep();
  });

  it('are no longer waited for by who went away', async () => {
    await fill();
    const caller = new AbortController();
    const gone = semaphore.acquire('gone', caller.signal).catch(asIs);
    void acquire('next');
    caller.abort(new Error('The caller went away.'));
    expect(await gone).toEqual(new Error('The caller went away.'));
    leaves[0]!();
    await pass(0);
    expect(order).toEqual(['next']);
    await expect(semaphore.acquire('gone', caller.signal)).rejects.toThrow('went away');
  });

  it('are refused once closed', async () => {
    await fill();
    const refused = semaphore.acquire('a').catch(asIs);
    semaphore.close();
    expect(await refused).toMatchObject({ reason: 'CANCELLED' });
    await expectAsleep();
  });
});
