import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import { createDetectorFactory, createRestorer } from '@witan/privacy';
import { createDetectors, maskJson } from '../mask-json.ts';
import type { MaskTask } from '../mask-json.ts';
import { DEFAULT_PRIVACY } from '../privacy-settings.ts';
import { createMaskThread } from './mask-thread.ts';
import type { MaskThread } from './mask-thread.ts';

const taskOf = (content: string, settings = DEFAULT_PRIVACY): MaskTask => ({
  text: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
  dialect: 'chat-completions',
  settings,
  key: new Uint8Array(32).fill(7),
});
const SHORT_TASK = taskOf('Write to Ann Lee, ann.lee@example.org.');
const LONG_TASK = taskOf('Ann Lee wrote to Bob Ray. '.repeat(40_000));
const OTHER_LONG_TASK = taskOf('<bob.ray@example.org> called 030 1234567. '.repeat(10_000));
const INVALID_TASK = taskOf('x', {
  ...DEFAULT_PRIVACY,
  patterns: [{ pattern: 'a*', category: 'ORG' as const }],
});

describe('createMaskThread', () => {
  const open: MaskThread[] = [];
  const start = (options: { isWarm?: boolean } = {}): MaskThread => {
    const thread = createMaskThread(options);
    open.push(thread);
    return thread;
  };
  const recordThreads = <T>(act: () => T): { result: T; threads: Worker[] } => {
    const threads: Worker[] = [];
    const onStart = (message: unknown): unknown =>
      threads.push((message as { worker: Worker }).worker);
    subscribe('worker_threads', onStart);
    const result = act();
    unsubscribe('worker_threads', onStart);
    return { result, threads };
  };
  afterEach(async () => {
    for (const thread of open.splice(0)) await thread.close();
  });
  const callFrom = (workspaceId: string, signal = new AbortController().signal) => ({
    workspaceId,
    signal,
  });

  it('masks as the main thread does, with values that can be restored', async () => {
    const { mask } = start();
    const detectorFor = createDetectors({
      createDetector: createDetectorFactory(),
      cacheBytes: 0,
    });
    const terms = [{ text: 'write', category: 'ORG' as const }];
    for (const settings of [DEFAULT_PRIVACY, { ...DEFAULT_PRIVACY, terms }]) {
      const task = { ...SHORT_TASK, settings };
      const { table, ...masked } = await mask(task, callFrom('ws_a'));
      const { table: _table, ...expected } = maskJson(task, detectorFor);
      expect(masked).toEqual(expected);
      expect(createRestorer(table).restoreJsonText(masked.text)).toBe(task.text);
    }
  });

  it('does not block the event loop', async () => {
    const { mask } = start();
    let ticks = 0;
    const ticker = setInterval(() => (ticks += 1), 1);
    await mask(LONG_TASK, callFrom('ws_a'));
    clearInterval(ticker);
    expect(ticks).toBeGreaterThan(5);
  });

  it('serves workspaces in turn, also while a long text is masked', async () => {
    const { mask } = start();
    const endedCalls: string[] = [];
    const run = async (workspaceId: string, task: MaskTask): Promise<void> => {
      await mask(task, callFrom(workspaceId));
      endedCalls.push(workspaceId);
    };
    await Promise.all([
      run('ws_a', LONG_TASK),
      run('ws_a', LONG_TASK),
      run('ws_a', LONG_TASK),
      run('ws_b', SHORT_TASK),
    ]);
    expect(endedCalls).toEqual(['ws_b', 'ws_a', 'ws_a', 'ws_a']);
  });

  it('masks texts of several workspaces at once as each alone', async () => {
    const { mask } = start();
    const tasks = [LONG_TASK, SHORT_TASK, OTHER_LONG_TASK];
    const masked = await Promise.all(
      tasks.map((task, index) => mask(task, callFrom(`ws_${index}`))),
    );
    const alone = createDetectors({ createDetector: createDetectorFactory(), cacheBytes: 0 });
    const expected = tasks.map((task) => maskJson(task, alone).text);
    // Not compared by the matcher, because it would print the texts.
    expect(masked.map(({ text }, index) => text === expected[index])).toEqual([true, true, true]);
  });

  it('skips texts of callers that disconnected', async () => {
    const { mask } = start();
    const controller = new AbortController();
    const cancelledError = new ServiceError('CANCELLED', 'gone');
    const first = mask(LONG_TASK, callFrom('ws_a', controller.signal));
    const second = mask(LONG_TASK, callFrom('ws_b', controller.signal));
    const third = mask(SHORT_TASK, callFrom('ws_c'));
    controller.abort(cancelledError);
    await expect(first).rejects.toBe(cancelledError);
    await expect(second).rejects.toBe(cancelledError);
    await expect(third).resolves.toMatchObject({ uninspected: 0 });
    await expect(mask(SHORT_TASK, callFrom('ws_a', controller.signal))).rejects.toBe(
      cancelledError,
    );
  });

  it('reports an error by its name only, and continues', async () => {
    const { mask } = start();
    await expect(mask(INVALID_TASK, callFrom('ws_a'))).rejects.toMatchObject({
      name: 'PatternError',
      message: '',
    });
    await expect(mask(SHORT_TASK, callFrom('ws_a'))).resolves.toMatchObject({ uninspected: 0 });
  });

  it('replaces a worker whose reply cannot be deserialized, and ignores its later replies', async () => {
    const { mask } = start();
    const { result: first, threads } = recordThreads(() => mask(LONG_TASK, callFrom('ws_a')));
    const abandonedThread = threads[0]!;
    const ended = once(abandonedThread, 'exit');
    abandonedThread.emit('messageerror', new Error('not deserializable'));
    const second = mask(SHORT_TASK, callFrom('ws_a'));
    abandonedThread.emit('message', { reply: { errorName: 'Late' } });
    await expect(first).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    await expect(second).resolves.toMatchObject({ uninspected: 0 });
    await ended;
  });

  it('starts the worker with the first text, or at once with isWarm', async () => {
    const coldStart = recordThreads(() => start());
    const warmStart = recordThreads(() => start({ isWarm: true }));
    const masked = recordThreads(() => warmStart.result.mask(SHORT_TASK, callFrom('ws_a')));
    expect([coldStart, warmStart, masked].map(({ threads }) => threads.length)).toEqual([0, 1, 0]);
    expect(await masked.result).toMatchObject({ uninspected: 0 });
  });

  it('rejects texts beyond the limit of the queue, and all texts once it is closed', async () => {
    const thread = start();
    const large = taskOf('x'.repeat(20 * 1024 * 1024), { ...DEFAULT_PRIVACY, categories: [] });
    const pending = [1, 2, 3].map(() => thread.mask(large, callFrom('ws_a')).catch(String));
    await expect(thread.mask(large, callFrom('ws_a'))).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
    });
    await thread.close();
    expect(await Promise.all(pending)).toEqual(
      pending.map(() => expect.stringContaining('try again')),
    );
    await expect(thread.mask(SHORT_TASK, callFrom('ws_b'))).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
    });
  });
});
