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

const identity = (error: unknown) => error;

describe('createConnectionSemaphore', () => {
  let idleMs = 0;
  let idleReads = 0;
  let semaphore: ConnectionSemaphore;
  let order: string[] = [];
  const releases: ReleaseConnectionPermit[] = [];
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    idleMs = 1_000;
    order = [];
    releases.length = 0;
    semaphore = createConnectionSemaphore({
      idleMs: () => {
        idleReads += 1;
        return idleMs;
      },
    });
  });
  afterEach(() => {
    semaphore.close();
    jest.useRealTimers();
  });

  const acquire = async (scope: string, signal?: AbortSignal) => {
    releases.push(await semaphore.acquire(scope, signal));
    order.push(scope);
  };
  const acquireAllPermits = async () => {
    for (let n = 0; n < CONNECTIONS_MAX; n += 1) await acquire('full');
    order = [];
  };
  const advance = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms);
  };

  /**
   * Asserts that the idle time is no longer polled. Counts reads of the idle time instead of
   * timers, because other files may have started timers.
   */
  const expectNoPolling = async () => {
    const before = idleReads;
    await advance(1_000);
    expect(idleReads).toBe(before);
  };

  it('grants a permit at once if one is free, otherwise after a release', async () => {
    await acquireAllPermits();
    void acquire('a');
    void acquire('b');
    await advance(1_000);
    expect(order).toEqual([]);
    releases[0]!();
    releases[0]!();
    await advance(0);
    expect(order).toEqual(['a']);
    releases[1]!();
    await advance(0);
    expect(order).toEqual(['a', 'b']);
    await expectNoPolling();
  });

  it('grants one permit to every scope before a second to any', async () => {
    await acquireAllPermits();
    for (const scope of ['a', 'a', 'a', 'b', 'c', 'b']) void acquire(scope);
    for (let n = 0; n < 6; n += 1) {
      releases[n]!();
      await advance(0);
    }
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('revokes permits after idle time of the thread, not while it is busy', async () => {
    await acquireAllPermits();
    for (let n = 0; n <= CONNECTIONS_MAX; n += 1) void acquire(`next-${n}`);
    idleMs += PERMIT_IDLE_MAX_MS - 1;
    await advance(1_000);
    expect(order).toEqual([]);
    idleMs += 1;
    await advance(1_000);
    expect(order).toHaveLength(CONNECTIONS_MAX);
    releases[0]!();
    await advance(1_000);
    expect(order).toHaveLength(CONNECTIONS_MAX);
    releases.at(-1)!();
    await advance(0);
    expect(order).toHaveLength(CONNECTIONS_MAX + 1);
  });

  it('serves scopes with revoked permits last, until they connect', async () => {
    await acquireAllPermits();
    for (const scope of ['full', 'full', 'a']) void acquire(scope);
    idleMs += PERMIT_IDLE_MAX_MS;
    await advance(100);
    expect(order).toEqual(['a', 'full', 'full']);
    for (const release of releases.slice(0, CONNECTIONS_MAX)) release();
    for (let n = 3; n < CONNECTIONS_MAX; n += 1) await acquire('others');
    order = [];
    for (const scope of ['b', 'full', 'c']) void acquire(scope);
    for (const release of releases.slice(-3)) release();
    await advance(0);
    expect(order).toEqual(['b', 'full', 'c']);
  });

  it('resolves after the longest wait', async () => {
    await acquireAllPermits();
    void acquire('late');
    await advance(WAIT_MAX_MS - 1);
    expect(order).toEqual([]);
    await advance(1);
    expect(order).toEqual(['late']);
    await expectNoPolling();
  });

  it('rejects when the signal aborts', async () => {
    await acquireAllPermits();
    const caller = new AbortController();
    const aborted = semaphore.acquire('gone', caller.signal).catch(identity);
    void acquire('next');
    caller.abort(new Error('The caller went away.'));
    expect(await aborted).toEqual(new Error('The caller went away.'));
    releases[0]!();
    await advance(0);
    expect(order).toEqual(['next']);
    await expect(semaphore.acquire('gone', caller.signal)).rejects.toThrow('went away');
  });

  it('rejects pending callers when it is closed', async () => {
    await acquireAllPermits();
    const refusal = semaphore.acquire('a').catch(identity);
    semaphore.close();
    expect(await refusal).toMatchObject({ reason: 'CANCELLED' });
    await expectNoPolling();
  });
});
