import { describe, expect, it } from '@jest/globals';
import { limitScopedClients } from './limit-scoped-clients.ts';
import type { Database } from './open-database.ts';
import { everyWorkspace } from './scope.ts';

/** A database whose calls end when `end` is called with their number. */
const openFake = () => {
  const started: PromiseWithResolvers<unknown>[] = [];
  const scopedClient = (): Promise<unknown> => {
    const call = Promise.withResolvers<unknown>();
    started.push(call);
    return call.promise;
  };
  const database = limitScopedClients({ scopedClient } as unknown as Database, {
    runningMax: 2,
    pendingMax: 1,
  });
  const read = (): Promise<unknown> => database.scopedClient(everyWorkspace, async () => undefined);
  return { started, read };
};

describe('limitScopedClients', () => {
  it('starts a waiting call when one ends, also if that one fails', async () => {
    const { started, read } = openFake();
    const calls = [read(), read(), read()];
    await Promise.resolve();
    expect(started).toHaveLength(2);
    started[0]!.reject(new Error('lost'));
    await expect(calls[0]).rejects.toThrow('lost');
    expect(started).toHaveLength(3);
    for (const call of started) call.resolve('done');
    await expect(Promise.all(calls.slice(1))).resolves.toEqual(['done', 'done']);
  });

  it('rejects calls beyond those that may wait, and accepts others later', async () => {
    const { started, read } = openFake();
    const calls = [read(), read(), read()];
    await expect(read()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    started[0]!.resolve('done');
    await calls[0];
    started[1]!.resolve('done');
    await calls[1];
    started[2]!.resolve('done');
    await calls[2];
    const later = read();
    await Promise.resolve();
    started[3]!.resolve('later');
    await expect(later).resolves.toBe('later');
  });
});
