import { afterEach, describe, expect, it } from '@jest/globals';
import type { AttemptResult, DueDelivery, Settlement } from './delivery.ts';
import { createDeliveryWorker } from './delivery-worker.ts';
import type { DeliveryWorker, DeliveryWorkerDeps } from './delivery-worker.ts';

const DONE: AttemptResult = { statusCode: 200, error: null };

/** Creates a worker with a queue in memory and attempts that the test ends. */
const openFake = (overrides: Partial<DeliveryWorkerDeps> = {}) => {
  const due: DueDelivery[] = [];
  const settled: Settlement[] = [];
  const attempts = new Map<string, (result: AttemptResult) => void>();
  const failures: unknown[] = [];
  const claims: { max: number; leased: readonly string[] }[] = [];
  let isDown = false;
  const failIfDown = (): void => {
    if (isDown) throw new Error('down');
  };
  const worker = createDeliveryWorker({
    queue: {
      claim: async (options) => {
        failIfDown();
        claims.push(options);
        return due.splice(0, options.max);
      },
      settle: async (settlements) => {
        failIfDown();
        settled.push(...settlements);
        return { late: 0 };
      },
      nextDueMs: async () => undefined,
    },
    attempt: ({ id }, signal) =>
      new Promise((resolve, reject) => {
        attempts.set(id, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    retryDelaysMs: [10, 20],
    leaseMs: 60_000,
    onAttempt: () => {},
    onLate: () => {},
    onFailure: (error) => void failures.push(error),
    ...overrides,
  });
  open.push(worker);
  return {
    worker,
    settled,
    attempts,
    failures,
    claims,
    add: (...ids: string[]): void => {
      due.push(...ids.map(toDue));
      worker.wake();
    },
    setDown: (is: boolean): void => void (isDown = is),
  };
};

const open: DeliveryWorker[] = [];
afterEach(() => Promise.all(open.splice(0).map((worker) => worker.stop(0))));

const toDue = (id: string): DueDelivery => ({
  id,
  workspaceId: 'ws_1',
  webhookId: 'whk_1',
  event: 'webhook.test',
  body: '{}',
  lease: `lease of ${id}`,
  attempt: 1,
  url: 'https://example.com/',
  secrets: ['whsec_'],
  waitedMs: 0,
  trace: {},
});

/** Waits until all pending promise reactions have run. */
const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

describe('the delivery worker', () => {
  it('claims due deliveries when it is woken, and settles ended attempts', async () => {
    const { add, attempts, settled } = openFake();
    await rest();
    add('a', 'b');
    await rest();
    attempts.get('b')!(DONE);
    await rest();
    expect(settled).toMatchObject([{ id: 'b', lease: 'lease of b', state: 'delivered' }]);
    attempts.get('a')!({ statusCode: 0, error: 'dns' });
    await rest();
    expect(settled).toMatchObject([{ id: 'b' }, { id: 'a', state: 'pending', delayMs: 10 }]);
  });

  it('misses no wake signal, whenever it comes during a tick', async () => {
    const { add, attempts } = openFake();
    for (let n = 0; n < 200; n += 1) {
      add(`d${n}`);
      for (let step = 0; step < n % 7; step += 1) await Promise.resolve();
    }
    await rest();
    expect(attempts.size).toBe(200);
  });

  it('makes no more than 512 attempts at once', async () => {
    const { add, attempts, settled } = openFake();
    add(...Array.from({ length: 600 }, (_, n) => `d${n}`));
    await rest();
    expect(attempts.size).toBe(512);
    attempts.get('d0')!(DONE);
    await rest();
    expect([attempts.size, settled.length]).toEqual([513, 1]);
  });

  it('retains results while the queue is down, and claims none of their deliveries', async () => {
    const { add, attempts, settled, setDown, worker, claims, failures } = openFake();
    await rest();
    add('a');
    await rest();
    setDown(true);
    attempts.get('a')!(DONE);
    await rest();
    expect([settled, failures]).toEqual([[], [new Error('down')]]);
    setDown(false);
    worker.wake();
    await rest();
    expect(settled).toMatchObject([{ id: 'a', state: 'delivered' }]);
    // Not claimed again before its result was written: the failed tick claimed nothing.
    expect(claims.map(({ leased }) => leased)).toEqual([[], [], []]);
  });

  it('releases a delivery that could not be attempted, without counting an attempt', async () => {
    const failing = async () => {
      throw new Error('a bug');
    };
    const { add, settled, failures } = openFake({ attempt: failing });
    add('a');
    await rest();
    expect(settled).toMatchObject([{ id: 'a', state: 'pending', result: undefined }]);
    expect(settled[0]!.delayMs).toBeGreaterThan(1_000);
    expect(failures).toEqual([new Error('a bug')]);
  });

  it('does not count a failure if this process stalled beyond the lease', async () => {
    const { add, attempts, settled } = openFake({ leaseMs: 0 });
    add('hung', 'answered');
    await rest();
    attempts.get('hung')!({ statusCode: 0, error: 'timeout' });
    attempts.get('answered')!(DONE);
    await rest();
    expect(settled).toMatchObject([
      { id: 'hung', state: 'pending', result: undefined, delayMs: 0 },
      { id: 'answered', state: 'delivered', result: DONE },
    ]);
  });

  it('waits for running attempts when it stops, and releases those that hang', async () => {
    const { add, attempts, settled, worker } = openFake();
    add('ends', 'hangs');
    await rest();
    const stopped = worker.stop(50);
    add('late');
    attempts.get('ends')!(DONE);
    await stopped;
    expect(settled).toMatchObject([
      { id: 'ends', state: 'delivered' },
      { id: 'hangs', state: 'pending', result: undefined, delayMs: 0 },
    ]);
    expect(attempts.has('late')).toBe(false);
  });
});
