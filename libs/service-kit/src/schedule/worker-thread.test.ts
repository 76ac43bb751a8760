import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import type { TaskMessage } from './serve-tasks.ts';
import { openWorkerThread } from './worker-thread.ts';

type Task = { name: string; isUnclonable?: boolean; isLong?: boolean };

/** A thread that replies when the test says so. */
class FakeWorker extends EventEmitter {
  readonly messages: string[] = [];
  readonly tasks: string[] = [];
  isTerminated = false;

  postMessage({ id, task, isCancelled }: TaskMessage<Task>): void {
    this.messages.push(isCancelled ? `cancel ${id}` : (task?.name ?? `continue ${id}`));
    if (!task) return;
    const { name, isUnclonable = false } = task;
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
    mayBegin: ({ isLong }, paused) => !isLong || !paused.some((other) => other.isLong),
    toError: (cause) => new Error('unavailable', { cause }),
  });
  const run = (task: Task, key = 'ws_1', signal?: AbortSignal): Promise<string> =>
    thread.run(task, { key, signal });
  return { run, workers, close: thread.close };
};

describe('openWorkerThread', () => {
  it('fails a task that cannot be sent and continues with the next ones', async () => {
    const { run, workers } = openFake();
    const first = run({ name: 'first' });
    const unclonable = [1, 2, 3].map((id) => run({ name: `bad ${id}`, isUnclonable: true }));
    const last = run({ name: 'last' });
    const outcomes = Promise.allSettled(unclonable);
    workers[0]!.emit('message', { reply: 'one' });
    expect(await first).toBe('one');
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({
        reason: { message: 'unavailable', cause: { message: 'not clonable' } },
      });
    }
    await setImmediate();
    workers[0]!.emit('message', { reply: 'two' });
    expect(await last).toBe('two');
    expect(workers.map(({ tasks }) => tasks)).toEqual([['first', 'last']]);
  });

  it('fails a task for which no thread can be started, and starts one for the next', async () => {
    const { run, workers } = openFake({ startFailures: 1 });
    const refused = run({ name: 'first' });
    const next = run({ name: 'next' });
    await expect(refused).rejects.toMatchObject({ cause: { message: 'no memory' } });
    workers[0]!.emit('message', { reply: 'reply' });
    expect(await next).toBe('reply');
  });

  it('gives the next task a new thread, unaffected by the one that timed out', async () => {
    const { run, workers } = openFake({ timeoutMs: 1 });
    await expect(run({ name: 'endless' })).rejects.toMatchObject({
      cause: { message: 'no reply within 1 ms' },
    });
    expect(workers[0]!.isTerminated).toBe(true);
    const next = run({ name: 'next' });
    workers[0]!.emit('message', { reply: 'late' });
    workers[0]!.emit('exit', 1);
    workers[1]!.emit('message', { reply: 'reply' });
    expect(await next).toBe('reply');
    expect(workers).toHaveLength(2);
  });

  it('continues a paused task after those of other keys, before others of its own', async () => {
    const { run, workers } = openFake();
    const done = [run({ name: 'a1' }, 'a'), run({ name: 'a2' }, 'a'), run({ name: 'b' }, 'b')];
    const reply = (value: object): void => void workers[0]!.emit('message', value);
    reply({ isPaused: true });
    reply({ isPaused: true });
    for (const value of ['a1', 'b', 'a2']) reply({ reply: value });
    expect(await Promise.all(done)).toEqual(['a1', 'a2', 'b']);
    expect(workers[0]!.messages).toEqual(['a1', 'b', 'continue 1', 'continue 3', 'a2']);
  });

  it('ends a task whose caller left, while it runs and while it is paused', async () => {
    const { run, workers } = openFake();
    const controllers = [new AbortController(), new AbortController()] as const;
    const gone = new Error('gone');
    const first = run({ name: 'first' }, 'a', controllers[0].signal);
    const second = run({ name: 'second' }, 'b', controllers[1].signal);
    const third = run({ name: 'third' }, 'c');
    const outcomes = Promise.allSettled([first, second]);
    controllers[0].abort(gone);
    workers[0]!.emit('message', { isPaused: true });
    workers[0]!.emit('message', { isPaused: true });
    controllers[1].abort(gone);
    workers[0]!.emit('message', { reply: 'done' });
    expect(await third).toBe('done');
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: gone });
    expect(workers[0]!.messages).toEqual(['first', 'cancel 1', 'second', 'third', 'cancel 2']);
  });

  it('begins a task only when those that are paused allow it', async () => {
    const { run, workers } = openFake();
    const done = [
      run({ name: 'long', isLong: true }, 'a'),
      run({ name: 'other long', isLong: true }, 'b'),
      run({ name: 'short' }, 'b'),
    ];
    workers[0]!.emit('message', { isPaused: true });
    for (const value of ['short', 'long', 'other long']) {
      workers[0]!.emit('message', { reply: value });
    }
    expect(await Promise.all(done)).toEqual(['long', 'other long', 'short']);
    expect(workers[0]!.messages).toEqual(['long', 'short', 'continue 1', 'other long']);
  });

  it('begins paused tasks again when the thread is replaced', async () => {
    const { run, workers } = openFake();
    const paused = run({ name: 'paused' }, 'a');
    const failed = run({ name: 'failed' }, 'b');
    workers[0]!.emit('message', { isPaused: true });
    workers[0]!.emit('error', new Error('crashed'));
    await expect(failed).rejects.toMatchObject({ cause: { message: 'crashed' } });
    workers[1]!.emit('message', { reply: 'done' });
    expect(await paused).toBe('done');
    expect(workers.map(({ messages }) => messages)).toEqual([['paused', 'failed'], ['paused']]);
  });
});
