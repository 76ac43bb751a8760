import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import {
  CompleteEventSchema,
  CompleteRequestSchema,
  isServiceError,
  SessionFramesSchema,
} from '@witan/contracts';
import type { Frame } from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import type { StartedCall } from './client-call.ts';
import { createClientSession } from './client-session.ts';
import { createData, createDataFrame, createFrame, errorFrame } from './frames.ts';
import type { ClientSessionStream } from './session-method.ts';

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A stream whose server is the test. */
const openSession = () => {
  const said: Frame[] = [];
  const events: string[] = [];
  let hasEnded = false;
  const stream = Object.assign(new EventEmitter(), {
    write: (bytes: Buffer, onWritten: () => void) => {
      said.push(...fromBinary(SessionFramesSchema, bytes).frames);
      setImmediate(onWritten);
      return true;
    },
    end: () => {
      hasEnded = true;
    },
  });
  const session = createClientSession(stream as unknown as ClientSessionStream, {
    onOpen: () => events.push('open'),
    onGoingAway: () => events.push('going away'),
    onGone: () => events.push('gone'),
  });
  return {
    ...session,
    events,
    said,
    hasEnded: () => hasEnded,
    answer: (...frames: Frame[]) => stream.emit('data', { frames }),
    break: () => stream.emit('error', new Error('connection reset')),
  };
};

const answer = Buffer.from(
  toBinary(
    CompleteEventSchema,
    create(CompleteEventSchema, { event: { case: 'wire', value: Buffer.from('text') } }),
  ),
);

/** Starts a stream of answers and writes down what comes of it. */
const begin = ({ start }: Pick<ReturnType<typeof openSession>, 'start'>) => {
  const told: string[] = [];
  const call: StartedCall = start({
    method: CompletionService.method.complete,
    request: create(CompleteRequestSchema),
    options: { timeoutMs: 60_000 },
    receiver: {
      onMessage: () => told.push('message'),
      onEnd: () => told.push('end'),
      onFailure: (error) => told.push(isServiceError(error) ? error.reason : String(error)),
    },
  });
  return { ...call, told };
};

const end = createFrame(1, { case: 'end', value: {} });
const kinds = (frames: Frame[]): string[] =>
  frames.map(({ callId, kind }) => `${callId} ${kind.case ?? 'nothing'}`);

describe('the client of a session', () => {
  it.each<[string, Frame[], string[]]>([
    ['an answer of an unknown call', [createDataFrame(7, createData(answer))], []],
    ['the end of an unknown call', [createFrame(7, { case: 'end', value: {} })], []],
    ['an error of an unknown call', [errorFrame(7, new Error('late'))], []],
    ['frames that only a client sends', [createFrame(1, { case: 'cancel', value: {} })], []],
    ['data behind the end', [end, createDataFrame(1, createData(answer))], ['end']],
    ['an end behind the end', [end, end], ['end']],
    ['an error behind the end', [end, errorFrame(1, new Error('late'))], ['end']],
    [
      'a first fragment behind the end',
      [end, createDataFrame(1, createData(answer, true))],
      ['end'],
    ],
  ])('ignores %s', (_what, frames, expected) => {
    const session = openSession();
    const call = begin(session);
    session.answer(...frames);
    expect(call.told).toEqual(expected);
    call.leave();
  });

  it('puts fragments together', () => {
    const session = openSession();
    const call = begin(session);
    const half = answer.length >> 1;
    session.answer(createDataFrame(1, createData(answer.subarray(0, half), true)));
    expect(call.told).toEqual([]);
    session.answer(createDataFrame(1, createData(answer.subarray(half))), end);
    expect(call.told).toEqual(['message', 'end']);
  });

  it('fails a call whose answer cannot be decoded, and calls it off', async () => {
    const session = openSession();
    const call = begin(session);
    session.answer(createDataFrame(1, createData(Buffer.of(7))));
    session.answer(createDataFrame(1, createData(answer)));
    await nextTurn();
    expect(call.told).toEqual(['INTERNAL']);
    expect(kinds(session.said)).toEqual(['1 start', '1 cancel']);
  });

  it('says nothing more of a call that is over', async () => {
    const session = openSession();
    const call = begin(session);
    session.answer(end);
    call.grant(9);
    call.leave();
    await nextTurn();
    expect(kinds(session.said)).toEqual(['1 start']);
  });

  it('tells nothing more to a reader that left', async () => {
    const session = openSession();
    const call = begin(session);
    call.leave();
    session.answer(createDataFrame(1, createData(answer)), end);
    session.break();
    await nextTurn();
    expect(call.told).toEqual([]);
  });

  it('fails what runs when the stream breaks, once, and takes nothing more', () => {
    const session = openSession();
    const call = begin(session);
    session.break();
    session.break();
    expect(call.told).toEqual(['UNAVAILABLE']);
    expect(session.events).toEqual(['gone']);
    expect(() => begin(session)).toThrow('went away');
  });

  it('ends when it is left and its last call is over, behind what it said', async () => {
    const session = openSession();
    const [first, second] = [begin(session), begin(session)];
    session.leave();
    session.answer(end);
    await nextTurn();
    expect([first.told, session.hasEnded()]).toEqual([['end'], false]);
    second.leave();
    await nextTurn();
    await nextTurn();
    expect(kinds(session.said)).toEqual(['1 start', '2 start', '2 cancel']);
    expect(session.hasEnded()).toBe(true);
    expect(() => begin(session)).toThrow('went away');
  });

  it('hands on that the server winds up, and goes on with what runs', () => {
    const session = openSession();
    const call = begin(session);
    session.answer(createFrame(0, { case: 'goingAway', value: {} }));
    session.answer(createDataFrame(1, createData(answer)), end);
    expect(session.events).toEqual(['going away']);
    expect(call.told).toEqual(['message', 'end']);
  });
});
