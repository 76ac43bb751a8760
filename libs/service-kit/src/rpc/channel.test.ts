import { describe, expect, it } from '@jest/globals';
import { createChannel } from './channel.ts';
import type { Channel } from './channel.ts';

const readAll = async <T>(channel: Channel<T>): Promise<T[]> => {
  const values: T[] = [];
  for await (const value of channel) values.push(value);
  return values;
};
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol('pending');
  const tick = new Promise<symbol>((resolve) => {
    setImmediate(() => resolve(pending));
  });
  return (await Promise.race([promise, tick])) !== pending;
};

describe('createChannel', () => {
  it('delivers values in order and ends', async () => {
    const channel = createChannel<number>(4);
    for (const value of [1, 2, 3]) void channel.push(value);
    channel.end();
    expect(await readAll(channel)).toEqual([1, 2, 3]);
  });

  it('wakes a waiting reader', async () => {
    const channel = createChannel<number>(4);
    const reading = readAll(channel);
    await isSettled(reading);
    void channel.push(1);
    await isSettled(reading);
    void channel.push(2);
    channel.end();
    expect(await reading).toEqual([1, 2]);
  });

  it('makes the producer wait while it is full', async () => {
    const channel = createChannel<number>(2);
    expect(channel.push(1)).toBeUndefined();
    const firstBlockedPush = channel.push(2)!;
    const secondBlockedPush = channel.push(3)!;
    expect(await isSettled(firstBlockedPush)).toBe(false);
    const reader = channel[Symbol.asyncIterator]();
    await reader.next();
    expect(await isSettled(firstBlockedPush)).toBe(false);
    await reader.next();
    expect(await isSettled(Promise.all([firstBlockedPush, secondBlockedPush]))).toBe(true);
    expect((await reader.next()).value).toBe(3);
  });

  it('delivers queued values before a failure', async () => {
    const channel = createChannel<number>(4);
    void channel.push(1);
    channel.fail(new Error('broke'));
    const reader = channel[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ value: 1, done: false });
    await expect(reader.next()).rejects.toThrow('broke');
    expect((await reader.next()).done).toBe(true);
  });

  it('ignores values and failures after its end', async () => {
    const channel = createChannel<number>(4);
    channel.end();
    expect(channel.push(1)).toBeUndefined();
    channel.fail(new Error('too late'));
    expect(await readAll(channel)).toEqual([]);
  });

  it('drops queued values and releases producers when it is closed', async () => {
    const channel = createChannel<number>(1);
    const blockedPush = channel.push(1)!;
    channel.close();
    await blockedPush;
    expect(await readAll(channel)).toEqual([]);
  });

  it('calls onStop and releases producers when the reader stops early', async () => {
    let stopped = 0;
    const channel = createChannel<number>(1, () => {
      stopped += 1;
    });
    const blockedPushes = [channel.push(1)!, channel.push(2)!];
    for await (const value of channel) {
      expect(value).toBe(1);
      break;
    }
    await Promise.all(blockedPushes);
    expect(stopped).toBe(1);
    expect(channel.push(3)).toBeUndefined();
  });

  it('does not call onStop when the reader reaches the end', async () => {
    let stopped = 0;
    const channel = createChannel<number>(4, () => {
      stopped += 1;
    });
    void channel.push(1);
    channel.end();
    await readAll(channel);
    expect(stopped).toBe(0);
  });
});
