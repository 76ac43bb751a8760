import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { SessionFramesSchema } from '@witan/contracts';
import type { Frame } from '@witan/contracts';
import { createData, createDataFrame, createFrame } from './frames.ts';
import { BATCH_BYTES_MAX, createOutbox } from './outbox.ts';

const KIB = 1024;

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A stream that sends when it is told to. */
const openOutbox = () => {
  const batches: Buffer[] = [];
  const unsent: (() => void)[] = [];
  const outbox = createOutbox((frames, onWritten) => {
    batches.push(frames);
    unsent.push(onWritten);
  });
  const frames = (): Frame[] =>
    batches.flatMap((bytes) => fromBinary(SessionFramesSchema, bytes).frames);
  return {
    ...outbox,
    batches,
    frames,
    /** Sends everything, and what is written meanwhile. */
    sendAll: () => {
      for (let some = unsent.splice(0); some.length > 0; some = unsent.splice(0)) {
        for (const onWritten of some) onWritten();
      }
    },
    /** The call of each frame, with a star when more of its message follows. */
    told: () =>
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

describe('an outbox', () => {
  it('writes what one turn says in one message, in order', async () => {
    const { send, batches, told } = openOutbox();
    for (const id of [3, 1, 2, 1]) send(data(id, 10));
    expect(batches).toHaveLength(0);
    await nextTurn();
    expect(batches).toHaveLength(1);
    expect(told()).toEqual(['3', '1', '2', '1']);
  });

  it('keeps every message below the limit, whatever is said', async () => {
    const { send, batches, frames, sendAll } = openOutbox();
    for (let id = 1; id <= 400; id += 1) send(data(id, (id * 997) % (200 * KIB)));
    await nextTurn();
    sendAll();
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(BATCH_BYTES_MAX);
    const bytes = new Map<number, number>();
    for (const { callId, kind } of frames()) {
      const { length } = kind.case === 'data' ? kind.value.message : Buffer.alloc(0);
      bytes.set(callId, (bytes.get(callId) ?? 0) + length);
    }
    expect([...bytes].every(([id, length]) => length === (id * 997) % (200 * KIB))).toBe(true);
  });

  it('cuts large messages into fragments that take turns', async () => {
    const { send, told, sendAll } = openOutbox();
    for (const id of [1, 2, 3]) send(data(id, 3 * KIB * KIB));
    await nextTurn();
    sendAll();
    // Once all three are under way, none is heard twice before the others are heard.
    const order = told().map((call) => call.charAt(0));
    const together = order.slice(order.indexOf('3'), order.length - 9);
    const rounds = together.flatMap((_call, n) => (n % 3 === 0 ? [together.slice(n, n + 3)] : []));
    expect(rounds.length).toBeGreaterThan(20);
    for (const round of rounds.slice(0, -1)) expect(new Set(round).size).toBe(3);
    expect(told().filter((call) => !call.endsWith('*'))).toHaveLength(3);
  });

  it('lets small frames overtake a huge message', async () => {
    const { send, told, sendAll } = openOutbox();
    send(data(1, 30 * KIB * KIB));
    await nextTurn();
    const before = told().length;
    send(data(2, 1));
    await nextTurn();
    sendAll();
    expect(told().indexOf('2')).toBe(before);
    expect(told().length).toBeGreaterThan(30 * 8);
  });

  it('hands the stream no more than it can send', async () => {
    const { send, batches, sendAll } = openOutbox();
    send(data(1, 30 * KIB * KIB));
    await nextTurn();
    const written = batches.reduce((sum, { length }) => sum + length, 0);
    expect(written).toBeLessThan(3 * BATCH_BYTES_MAX);
    sendAll();
    expect(batches.length).toBeGreaterThan(100);
  });

  it('keeps the messages of a call in order, whatever their sizes', async () => {
    const { send, frames, sendAll } = openOutbox();
    for (const bytes of [1, 600 * KIB, 2, 200 * KIB, 3]) send(data(1, bytes));
    await nextTurn();
    sendAll();
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

  it('sends nothing more of a request that is called off', async () => {
    const { send, told, sendAll } = openOutbox();
    send(data(1, 30 * KIB * KIB));
    await nextTurn();
    const before = told().length;
    send(cancel(1));
    await nextTurn();
    sendAll();
    expect(told().slice(before)).toEqual(['1']);
  });

  it('sends nothing more of an answer that is dropped', async () => {
    const { send, drop, told, sendAll } = openOutbox();
    send(data(1, 30 * KIB * KIB));
    await nextTurn();
    const before = told().length;
    drop(1);
    sendAll();
    expect(told()).toHaveLength(before);
  });

  it('ends behind everything that was sent', async () => {
    const { send, end, told, sendAll } = openOutbox();
    let toldAtEnd = 0;
    send(data(1, 5 * KIB * KIB));
    end(() => {
      toldAtEnd = told().length;
    });
    send(cancel(2));
    await nextTurn();
    expect(toldAtEnd).toBe(0);
    sendAll();
    expect(toldAtEnd).toBe(told().length);
    expect(told().at(-1)).toBe('1');
  });

  it('writes nothing when it is closed', async () => {
    const { send, close, batches, sendAll } = openOutbox();
    send(data(1, 5 * KIB * KIB));
    await nextTurn();
    const before = batches.length;
    send(data(2, 1));
    close();
    send(data(3, 1));
    await nextTurn();
    sendAll();
    expect(batches).toHaveLength(before);
  });
});
