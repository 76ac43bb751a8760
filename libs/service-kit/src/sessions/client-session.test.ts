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
import type { ClientSessionStream } from './frames.ts';

const nextTick = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const openSession = () => {
  const sentFrames: Frame[] = [];
  const events: string[] = [];
  let hasEnded = false;
  const stream = Object.assign(new EventEmitter(), {
    write: (bytes: Buffer, onWritten: () => void) => {
      sentFrames.push(...fromBinary(SessionFramesSchema, bytes).frames);
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
    onClose: () => events.push('closed'),
  });
  return {
    ...session,
    events,
    sentFrames,
    hasEnded: () => hasEnded,
    receive: (...frames: Frame[]) => stream.emit('data', { frames }),
    break: () => stream.emit('error', new Error('connection reset')),
  };
};

const response = Buffer.from(
  toBinary(
    CompleteEventSchema,
    create(CompleteEventSchema, { event: { case: 'wire', value: Buffer.from('text') } }),
  ),
);

const startStream = ({ start }: Pick<ReturnType<typeof openSession>, 'start'>) => {
  const outcomes: string[] = [];
  const call: StartedCall = start({
    method: CompletionService.method.complete,
    request: create(CompleteRequestSchema),
    options: { timeoutMs: 60_000 },
    receiver: {
      onMessage: () => outcomes.push('message'),
      onEnd: () => outcomes.push('end'),
      onFailure: (error) => outcomes.push(isServiceError(error) ? error.reason : String(error)),
    },
  });
  return { ...call, outcomes };
};

const end = createFrame(1, { case: 'end', value: {} });
const summarize = (frames: Frame[]): string[] =>
  frames.map(({ callId, kind }) => `${callId} ${kind.case ?? 'nothing'}`);

describe('createClientSession', () => {
  it.each<[string, Frame[], string[]]>([
    ['a response of an unknown call', [createDataFrame(7, createData(response))], []],
    ['the end of an unknown call', [createFrame(7, { case: 'end', value: {} })], []],
    ['an error of an unknown call', [errorFrame(7, new Error('late'))], []],
    ['frames that only a client sends', [createFrame(1, { case: 'cancel', value: {} })], []],
    ['data after the end', [end, createDataFrame(1, createData(response))], ['end']],
    ['a second end', [end, end], ['end']],
    ['an error after the end', [end, errorFrame(1, new Error('late'))], ['end']],
    [
      'a first fragment after the end',
      [end, createDataFrame(1, createData(response, true))],
      ['end'],
    ],
  ])('ignores %s', (_name, frames, expected) => {
    const session = openSession();
    const call = startStream(session);
    session.receive(...frames);
    expect(call.outcomes).toEqual(expected);
    call.cancel();
  });

  it('assembles fragments', () => {
    const session = openSession();
    const call = startStream(session);
    const middle = response.length >> 1;
    session.receive(createDataFrame(1, createData(response.subarray(0, middle), true)));
    expect(call.outcomes).toEqual([]);
    session.receive(createDataFrame(1, createData(response.subarray(middle))), end);
    expect(call.outcomes).toEqual(['message', 'end']);
  });

  it('fails and cancels a call whose response cannot be decoded', async () => {
    const session = openSession();
    const call = startStream(session);
    session.receive(createDataFrame(1, createData(Buffer.of(7))));
    session.receive(createDataFrame(1, createData(response)));
    await nextTick();
    expect(call.outcomes).toEqual(['INTERNAL']);
    expect(summarize(session.sentFrames)).toEqual(['1 start', '1 cancel']);
  });

  it('sends nothing for a call that has ended', async () => {
    const session = openSession();
    const call = startStream(session);
    session.receive(end);
    call.grant(9);
    call.cancel();
    await nextTick();
    expect(summarize(session.sentFrames)).toEqual(['1 start']);
  });

  it('delivers nothing after the reader cancelled', async () => {
    const session = openSession();
    const call = startStream(session);
    call.cancel();
    session.receive(createDataFrame(1, createData(response)), end);
    session.break();
    await nextTick();
    expect(call.outcomes).toEqual([]);
  });

  it('fails running calls once when the stream breaks, and rejects new ones', () => {
    const session = openSession();
    const call = startStream(session);
    session.break();
    session.break();
    expect(call.outcomes).toEqual(['UNAVAILABLE']);
    expect(session.events).toEqual(['closed']);
    expect(() => startStream(session)).toThrow('went away');
  });

  it('ends after draining, once its last frames are sent', async () => {
    const session = openSession();
    const [first, second] = [startStream(session), startStream(session)];
    session.drain();
    session.receive(end);
    await nextTick();
    expect([first.outcomes, session.hasEnded()]).toEqual([['end'], false]);
    second.cancel();
    await nextTick();
    await nextTick();
    expect(summarize(session.sentFrames)).toEqual(['1 start', '2 start', '2 cancel']);
    expect(session.hasEnded()).toBe(true);
    expect(() => startStream(session)).toThrow('went away');
  });

  it('reports that the server is stopping and lets running calls finish', () => {
    const session = openSession();
    const call = startStream(session);
    session.receive(createFrame(0, { case: 'goingAway', value: {} }));
    session.receive(createDataFrame(1, createData(response)), end);
    expect(session.events).toEqual(['going away']);
    expect(call.outcomes).toEqual(['message', 'end']);
  });
});
