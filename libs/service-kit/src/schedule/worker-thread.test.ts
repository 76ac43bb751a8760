import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { openWorkerThread } from './worker-thread.ts';

type Task = { name: string; isUnclonable?: boolean };

/** A thread that replies when the test says so. */
class FakeWorker extends EventEmitter {
  readonly tasks: string[] = [];
  isTerminated = false;

  postMessage({ name, isUnclonable = false }: Task): void {
    if (isUnclonable) throw new Error('not clonable');
    this.tasks.push(name);
  }

  unref(): void {}

  async terminate(): Promise<number> {
    this.isTerminated = true;
    return await Promise.resolve(1);
  }
}

const openFake = ({ timeoutMs = 60_000, startFailures = 0 } = {}) => {
  const workers: FakeWorker[] = [];
  let failures = startFailures;
  const thread = openWorkerThread<Task, string>({
    createWorker: () => {
      failures -= 1;
      if (failures >= 0) throw new Error('no memory');
      const worker = new FakeWorker();
      workers.push(worker);
      return worker as unknown as Worker;
    },
    timeoutMs,
    toError: (cause) => new Error('unavailable', { cause }),
  });
  const run = (task: Task): Promise<string> => thread.run(task, { key: 'ws_1' });
  return { run, workers, close: thread.close };
};

describe('openWorkerThread', () => {
  it('fails a task that cannot be sent and continues with the next ones', async () => {
    const { run, workers } = openFake();
    const first = run({ name: 'first' });
    const unclonable = [1, 2, 3].map((id) => run({ name: `bad ${id}`, isUnclonable: true }));
    const last = run({ name: 'last' });
    const outcomes = Promise.allSettled(unclonable);
    workers[0]!.emit('message', 'one');
    expect(await first).toBe('one');
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({
        reason: { message: 'unavailable', cause: { message: 'not clonable' } },
      });
    }
    await setImmediate();
    workers[0]!.emit('message', 'two');
    expect(await last).toBe('two');
    expect(workers.map(({ tasks }) => tasks)).toEqual([['first', 'last']]);
  });

  it('fails a task for which no thread can be started, and starts one for the next', async () => {
    const { run, workers } = openFake({ startFailures: 1 });
    const refused = run({ name: 'first' });
    const next = run({ name: 'next' });
    await expect(refused).rejects.toMatchObject({ cause: { message: 'no memory' } });
    workers[0]!.emit('message', 'reply');
    expect(await next).toBe('reply');
  });

  it('gives the next task a new thread, unaffected by the one that timed out', async () => {
    const { run, workers } = openFake({ timeoutMs: 1 });
    await expect(run({ name: 'endless' })).rejects.toMatchObject({
      cause: { message: 'no reply within 1 ms' },
    });
    expect(workers[0]!.isTerminated).toBe(true);
    const next = run({ name: 'next' });
    workers[0]!.emit('message', 'late');
    workers[0]!.emit('exit', 1);
    workers[1]!.emit('message', 'reply');
    expect(await next).toBe('reply');
    expect(workers).toHaveLength(2);
  });
});
