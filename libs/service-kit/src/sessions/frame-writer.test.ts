import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { SessionFramesSchema } from '@witan/contracts';
import type { Frame } from '@witan/contracts';
import { createData, createDataFrame, createFrame } from './frames.ts';
import { BATCH_BYTES_MAX, createFrameWriter } from './frame-writer.ts';

const KIB = 1024;

const nextTick = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const openWriter = () => {
  const batches: Buffer[] = [];
  const pendingWrites: (() => void)[] = [];
  const writer = createFrameWriter((frames, onWritten) => {
    batches.push(frames);
    pendingWrites.push(onWritten);
  });
  const frames = (): Frame[] =>
    batches.flatMap((bytes) => fromBinary(SessionFramesSchema, bytes).frames);
  return {
    ...writer,
    batches,
    frames,
    flushAll: () => {
      for (
        let callbacks = pendingWrites.splice(0);
        callbacks.length > 0;
        callbacks = pendingWrites.splice(0)
      ) {
        for (const onWritten of callbacks) onWritten();
      }
    },
    /**
     * Returns the call id of each sent frame, with a star if more fragments of its message follow.
     */
    sentCalls: () =>
      frames().map(({ callId, kind }) => {
        const isFragment = kind.case === 'data' && kind.value.more;
        return `${callId}${isFragment ? '*' : ''}`;
      }),
  };
};

const data = (callId: number, bytes: number): Frame =>
  createDataFrame(callId, createData(Buffer.alloc(bytes, callId)));
const cancel = (callId: number): Frame =>
  createFrame(callId, { case: 'cancel', value: { deadlineExceeded: false } });

describe('a frame writer', () => {
  it('writes the frames of one tick in one message, in order', async () => {
    const { send, batches, sentCalls } = openWriter();
    for (const id of [3, 1, 2, 1]) send(data(id, 10));
    expect(batches).toHaveLength(0);
    await nextTick();
    expect(batches).toHaveLength(1);
    expect(sentCalls()).toEqual(['3', '1', '2', '1']);
  });

  it('keeps every message below the size limit', async () => {
    const { send, batches, frames, flushAll } = openWriter();
    for (let id = 1; id <= 400; id += 1) send(data(id, (id * 997) % (200 * KIB)));
    await nextTick();
    flushAll();
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(BATCH_BYTES_MAX);
    const bytes = new Map<number, number>();
    for (const { callId, kind } of frames()) {
      const { length } = kind.case === 'data' ? kind.value.message : Buffer.alloc(0);
      bytes.set(callId, (bytes.get(callId) ?? 0) + length);
    }
    expect([...bytes].every(([id, length]) => length === (id * 997) % (200 * KIB))).toBe(true);
  });

  it('splits large messages into fragments and interleaves them', async () => {
    const { send, sentCalls, flushAll } = openWriter();
    for (const id of [1, 2, 3]) send(data(id, 3 * KIB * KIB));
    await nextTick();
    flushAll();
    // While messages of all three calls are pending, the calls take turns: one fragment each.
    const order = sentCalls().map((call) => call.charAt(0));
    const interleaved = order.slice(order.indexOf('3'), order.length - 9);
    const rounds = interleaved.flatMap((_call, n) =>
      n % 3 === 0 ? [interleaved.slice(n, n + 3)] : [],
    );
    expect(rounds.length).toBeGreaterThan(20);
    for (const round of rounds.slice(0, -1)) expect(new Set(round).size).toBe(3);
    expect(sentCalls().filter((call) => !call.endsWith('*'))).toHaveLength(3);
  });

  it('lets small frames overtake a huge message', async () => {
    const { send, sentCalls, flushAll } = openWriter();
    send(data(1, 30 * KIB * KIB));
    await nextTick();
    const before = sentCalls().length;
    send(data(2, 1));
    await nextTick();
    flushAll();
    expect(sentCalls().indexOf('2')).toBe(before);
    expect(sentCalls().length).toBeGreaterThan(30 * 8);
  });

  it('limits the bytes that the stream has not sent', async () => {
    const { send, batches, flushAll } = openWriter();
    send(data(1, 30 * KIB * KIB));
    await nextTick();
    const written = batches.reduce((sum, { length }) => sum + length, 0);
    expect(written).toBeLessThan(3 * BATCH_BYTES_MAX);
    flushAll();
    expect(batches.length).toBeGreaterThan(100);
  });

  it("preserves the order of a call's messages of any size", async () => {
    const { send, frames, flushAll } = openWriter();
    for (const bytes of [1, 600 * KIB, 2, 200 * KIB, 3]) send(data(1, bytes));
    await nextTick();
    flushAll();
    let received = 0;
    const sizes = frames().flatMap(({ kind }) => {
      if (kind.case !== 'data') return [];
      received += kind.value.message.length;
      if (kind.value.more) return [];
      const size = received;
      received = 0;
      return [size];
    });
    expect(sizes).toEqual([1, 600 * KIB, 2, 200 * KIB, 3]);
  });

  it('drops the rest of a cancelled request', async () => {
    const { send, sentCalls, flushAll } = openWriter();
    send(data(1, 30 * KIB * KIB));
    await nextTick();
    const before = sentCalls().length;
    send(cancel(1));
    await nextTick();
    flushAll();
    expect(sentCalls().slice(before)).toEqual(['1']);
  });

  it('drops the rest of a dropped response', async () => {
    const { send, drop, sentCalls, flushAll } = openWriter();
    send(data(1, 30 * KIB * KIB));
    await nextTick();
    const before = sentCalls().length;
    drop(1);
    flushAll();
    expect(sentCalls()).toHaveLength(before);
  });

  it('ends after all frames are sent', async () => {
    const { send, end, sentCalls, flushAll } = openWriter();
    let sentAtEnd = 0;
    send(data(1, 5 * KIB * KIB));
    end(() => {
      sentAtEnd = sentCalls().length;
    });
    send(cancel(2));
    await nextTick();
    expect(sentAtEnd).toBe(0);
    flushAll();
    expect(sentAtEnd).toBe(sentCalls().length);
    expect(sentCalls().at(-1)).toBe('1');
  });

  it('writes nothing when it is closed', async () => {
    const { send, close, batches, flushAll } = openWriter();
    send(data(1, 5 * KIB * KIB));
    await nextTick();
    const before = batches.length;
    send(data(2, 1));
    close();
    send(data(3, 1));
    await nextTick();
    flushAll();
    expect(batches).toHaveLength(before);
  });
});
