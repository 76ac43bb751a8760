import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import { createDetectorFactory, createRestorer } from '@witan/privacy';
import { createDetectors } from '../domain/privacy/create-detectors.ts';
import { maskJson } from '../domain/privacy/mask-json.ts';
import type { MaskTask } from '../domain/privacy/mask-json.ts';
import { DEFAULT_PRIVACY } from '../domain/privacy/privacy-settings.ts';
import { createMaskThread } from './mask-thread.ts';
import type { MaskThread } from './mask-thread.ts';

const taskOf = (content: string, settings = DEFAULT_PRIVACY): MaskTask => ({
  text: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
  dialect: 'chat-completions',
  settings,
  key: new Uint8Array(32).fill(7),
});
const SHORT = taskOf('Write to Ann Lee, ann.lee@example.org.');
const LONG = taskOf('Ann Lee wrote to Bob Ray. '.repeat(40_000));
const BAD = taskOf('x', {
  ...DEFAULT_PRIVACY,
  patterns: [{ pattern: 'a*', category: 'ORG' as const }],
});

describe('the thread that masks long texts', () => {
  const open: MaskThread[] = [];
  const start = (options: { isWarm?: boolean } = {}): MaskThread => {
    const thread = createMaskThread(options);
    open.push(thread);
    return thread;
  };
  /** What came of it, and the threads that it started. */
  const watch = <T>(act: () => T): { made: T; threads: Worker[] } => {
    const threads: Worker[] = [];
    const onStart = (message: unknown): unknown =>
      threads.push((message as { worker: Worker }).worker);
    subscribe('worker_threads', onStart);
    const made = act();
    unsubscribe('worker_threads', onStart);
    return { made, threads };
  };
  afterEach(async () => {
    for (const thread of open.splice(0)) await thread.close();
  });
  const of = (workspaceId: string, signal = new AbortController().signal) => ({
    workspaceId,
    signal,
  });

  it('masks as masking here does, and what it took out comes back', async () => {
    const { mask } = start();
    const detectorFor = createDetectors({
      createDetector: createDetectorFactory(),
      cacheBytes: 0,
    });
    const terms = [{ text: 'write', category: 'ORG' as const }];
    for (const settings of [DEFAULT_PRIVACY, { ...DEFAULT_PRIVACY, terms }]) {
      const task = { ...SHORT, settings };
      const { table, ...masked } = await mask(task, of('ws_a'));
      const { table: _table, ...expected } = maskJson(task, detectorFor);
      expect(masked).toEqual(expected);
      expect(createRestorer(table).restoreJsonText(masked.text)).toBe(task.text);
    }
  });

  it('lets everybody else go on meanwhile', async () => {
    const { mask } = start();
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    await mask(LONG, of('ws_a'));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });

  it('lets workspaces take turns', async () => {
    const { mask } = start();
    const ended: string[] = [];
    const run = async (workspaceId: string, task: MaskTask): Promise<void> => {
      await mask(task, of(workspaceId));
      ended.push(workspaceId);
    };
    await Promise.all([
      run('ws_a', LONG),
      run('ws_a', LONG),
      run('ws_a', LONG),
      run('ws_b', SHORT),
    ]);
    expect(ended).toEqual(['ws_a', 'ws_b', 'ws_a', 'ws_a']);
  });

  it('passes over who left', async () => {
    const { mask } = start();
    const controller = new AbortController();
    const gone = new ServiceError('CANCELLED', 'gone');
    const first = mask(LONG, of('ws_a', controller.signal));
    const second = mask(LONG, of('ws_b', controller.signal));
    const third = mask(SHORT, of('ws_c'));
    controller.abort(gone);
    await expect(first).rejects.toBe(gone);
    await expect(second).rejects.toBe(gone);
    await expect(third).resolves.toMatchObject({ uninspected: 0 });
    await expect(mask(SHORT, of('ws_a', controller.signal))).rejects.toBe(gone);
  });

  it('tells what was thrown by its name, and goes on', async () => {
    const { mask } = start();
    await expect(mask(BAD, of('ws_a'))).rejects.toMatchObject({
      name: 'PatternError',
      message: '',
    });
    await expect(mask(SHORT, of('ws_a'))).resolves.toMatchObject({ uninspected: 0 });
  });

  it('ends a thread whose answer cannot be read, and hears no more of it', async () => {
    const { mask } = start();
    const { made: first, threads } = watch(() => mask(LONG, of('ws_a')));
    const abandoned = threads[0]!;
    const ended = once(abandoned, 'exit');
    abandoned.emit('messageerror', new Error('It cannot be read.'));
    const second = mask(SHORT, of('ws_a'));
    abandoned.emit('message', { errorName: 'Late' });
    await expect(first).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    await expect(second).resolves.toMatchObject({ uninspected: 0 });
    await ended;
  });

  it('is started with the first text, or before it when it is to be warm', async () => {
    const cold = watch(() => start());
    const warm = watch(() => start({ isWarm: true }));
    const masked = watch(() => warm.made.mask(SHORT, of('ws_a')));
    expect([cold, warm, masked].map(({ threads }) => threads.length)).toEqual([0, 1, 0]);
    expect(await masked.made).toMatchObject({ uninspected: 0 });
  });

  it('refuses more than may wait, and everything once it is closed', async () => {
    const thread = start();
    const much = taskOf('x'.repeat(20 * 1024 * 1024), { ...DEFAULT_PRIVACY, categories: [] });
    const alive = [1, 2, 3].map(() => thread.mask(much, of('ws_a')).catch(String));
    await expect(thread.mask(much, of('ws_a'))).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    await thread.close();
    expect(await Promise.all(alive)).toEqual(alive.map(() => expect.stringContaining('try again')));
    await expect(thread.mask(SHORT, of('ws_b'))).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });
});
