import { afterEach, describe, expect, it } from '@jest/globals';
import type { AttemptResult, DueDelivery, Settlement } from './delivery.ts';
import { createWakeSignal } from '@witan/service-kit';
import { createDeliveryWorker } from './delivery-worker.ts';
import type { DeliveryWorker, DeliveryWorkerDeps } from './delivery-worker.ts';

const SUCCESS: AttemptResult = { statusCode: 200, error: null };
const GONE: AttemptResult = { statusCode: 410, error: 'http_status' };

const createTestWorker = (overrides: Partial<DeliveryWorkerDeps> = {}) => {
  const due: DueDelivery[] = [];
  const settled: Settlement[] = [];
  const attempts = new Map<string, (result: AttemptResult) => void>();
  const failures: unknown[] = [];
  const disabled: string[] = [];
  const claims: { max: number; leased: readonly string[] }[] = [];
  let isDown = false;
  const failIfDown = (): void => {
    if (isDown) throw new Error('down');
  };
  const worker = createDeliveryWorker({
    wakeSignal: createWakeSignal(),
    queue: {
      claim: async (options) => {
        failIfDown();
        claims.push(options);
        return due.splice(0, options.max);
      },
      settle: async (settlements) => {
        failIfDown();
        settled.push(...settlements);
        return { lateCount: 0 };
      },
      disableGone: async ({ id }) => {
        failIfDown();
        return id === 'outdated' ? 'outdated' : 'disabled';
      },
      nextDueMs: async () => undefined,
    },
    attempt: ({ id }, signal) =>
      new Promise((resolve, reject) => {
        attempts.set(id, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    retryPolicy: { delaysMs: { standard: [10, 20], long: [30] }, random: () => 0 },
    leaseMs: 60_000,
    onAttempt: () => {},
    onLate: () => {},
    onDisabled: ({ id }) => void disabled.push(id),
    onFailure: (error) => void failures.push(error),
    ...overrides,
  });
  openWorkers.push(worker);
  const addOn = (retrySchedule: DueDelivery['retrySchedule'], ...ids: string[]): void => {
    due.push(...ids.map((id) => ({ ...toDue(id), retrySchedule })));
    worker.wake();
  };
  return {
    worker,
    settled,
    attempts,
    failures,
    disabled,
    claims,
    addOn,
    add: (...ids: string[]): void => addOn('standard', ...ids),
    setDown: (value: boolean): void => void (isDown = value),
  };
};

const openWorkers: DeliveryWorker[] = [];
afterEach(() => Promise.all(openWorkers.splice(0).map((worker) => worker.stop(0))));

const toDue = (id: string): DueDelivery => ({
  id,
  workspaceId: 'ws_1',
  webhookId: 'whk_1',
  event: 'webhook.test',
  body: '{}',
  lease: `lease of ${id}`,
  attempt: 1,
  retrySchedule: 'standard',
  endpointVersion: 1,
  url: 'https://example.com/',
  secrets: ['whsec_'],
  waitedMs: 0,
  trace: {},
});

const flushPromises = async (): Promise<void> => {
  for (let round = 0; round < 5; round += 1) await new Promise(setImmediate);
};

describe('the delivery worker', () => {
  it('claims due deliveries on a wake signal, and settles ended attempts', async () => {
    const { add, attempts, settled } = createTestWorker();
    await flushPromises();
    add('a', 'b');
    await flushPromises();
    attempts.get('b')!(SUCCESS);
    await flushPromises();
    expect(settled).toMatchObject([{ id: 'b', lease: 'lease of b', state: 'delivered' }]);
    attempts.get('a')!({ statusCode: 0, error: 'dns' });
    await flushPromises();
    expect(settled).toMatchObject([{ id: 'b' }, { id: 'a', state: 'pending', delayMs: 10 }]);
  });

  it('misses no wake signal that arrives during a tick', async () => {
    const { add, attempts } = createTestWorker();
    for (let n = 0; n < 200; n += 1) {
      add(`d${n}`);
      for (let step = 0; step < n % 7; step += 1) await Promise.resolve();
    }
    await flushPromises();
    expect(attempts.size).toBe(200);
  });

  it('makes at most 512 concurrent attempts', async () => {
    const { add, attempts, settled } = createTestWorker();
    add(...Array.from({ length: 600 }, (_, n) => `d${n}`));
    await flushPromises();
    expect(attempts.size).toBe(512);
    attempts.get('d0')!(SUCCESS);
    await flushPromises();
    expect([attempts.size, settled.length]).toEqual([513, 1]);
  });

  it('retains results while the queue is unavailable, and claims nothing', async () => {
    const { add, attempts, settled, setDown, worker, claims, failures } = createTestWorker();
    await flushPromises();
    add('a');
    await flushPromises();
    setDown(true);
    attempts.get('a')!(SUCCESS);
    await flushPromises();
    expect([settled, failures]).toEqual([[], [new Error('down')]]);
    setDown(false);
    worker.wake();
    await flushPromises();
    expect(settled).toMatchObject([{ id: 'a', state: 'delivered' }]);
    // No claim lists the delivery as leased, so nothing was claimed before its result was written.
    expect(claims.map(({ leased }) => leased)).toEqual([[], [], []]);
  });

  it('releases a delivery that could not be attempted, without counting an attempt', async () => {
    const failing = async () => {
      throw new Error('a bug');
    };
    const { add, settled, failures } = createTestWorker({ attempt: failing });
    add('a');
    await flushPromises();
    expect(settled).toMatchObject([{ id: 'a', state: 'pending', result: undefined }]);
    expect(settled[0]!.delayMs).toBeGreaterThan(1_000);
    expect(failures).toEqual([new Error('a bug')]);
  });

  it('does not count a failure if this process stalled beyond the lease', async () => {
    const { add, attempts, settled } = createTestWorker({ leaseMs: 0 });
    add('hung', 'answered');
    await flushPromises();
    attempts.get('hung')!({ statusCode: 0, error: 'timeout' });
    attempts.get('answered')!(SUCCESS);
    await flushPromises();
    expect(settled).toMatchObject([
      { id: 'hung', state: 'pending', result: undefined, delayMs: 0 },
      { id: 'answered', state: 'delivered', result: SUCCESS },
    ]);
  });

  it('ends a long delivery whose receiver responds 410, unless it is outdated', async () => {
    const { addOn, attempts, settled, disabled } = createTestWorker();
    addOn('long', 'gone', 'outdated');
    await flushPromises();
    attempts.get('gone')!(GONE);
    attempts.get('outdated')!(GONE);
    await flushPromises();
    expect(settled).toMatchObject([
      { id: 'gone', state: 'failed', result: GONE, delayMs: 0 },
      { id: 'outdated', state: 'pending', result: GONE, delayMs: 30 },
    ]);
    expect(disabled).toEqual(['gone']);
  });

  it('retries a standard delivery whose receiver responds 410', async () => {
    const { add, attempts, settled, disabled } = createTestWorker();
    add('gone');
    await flushPromises();
    attempts.get('gone')!(GONE);
    await flushPromises();
    expect(settled).toMatchObject([{ id: 'gone', state: 'pending', result: GONE, delayMs: 10 }]);
    expect(disabled).toEqual([]);
  });

  it('retries a long delivery if its webhook cannot be disabled after a 410', async () => {
    const { addOn, attempts, settled, setDown, worker, disabled, failures } = createTestWorker();
    addOn('long', 'gone');
    await flushPromises();
    setDown(true);
    attempts.get('gone')!(GONE);
    await flushPromises();
    setDown(false);
    worker.wake();
    await flushPromises();
    expect(settled).toMatchObject([{ id: 'gone', state: 'pending', result: GONE, delayMs: 30 }]);
    expect(failures).toContainEqual(new Error('down'));
    expect(disabled).toEqual([]);
  });

  it('waits for running attempts when it stops, and releases those that hang', async () => {
    const { add, attempts, settled, worker } = createTestWorker();
    add('ends', 'hangs');
    await flushPromises();
    const workerStopped = worker.stop(50);
    add('late');
    attempts.get('ends')!(SUCCESS);
    await workerStopped;
    expect(settled).toMatchObject([
      { id: 'ends', state: 'delivered' },
      { id: 'hangs', state: 'pending', result: undefined, delayMs: 0 },
    ]);
    expect(attempts.has('late')).toBe(false);
  });
});
