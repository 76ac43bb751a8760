import { create, fromBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FrameSchema, ListModelsResponseSchema } from '@witan/contracts';
import type { CallData, Frame, SessionFrames } from '@witan/contracts';
import { LedgerService, ModelService } from '@witan/contracts/services';
import { implementCompletions } from '../../test/implement-completions.ts';
import { openCallee } from '../../test/open-callee.ts';
import type { Callee } from '../../test/open-callee.ts';
import { fromGrpcError } from '../rpc/status.ts';
import { implement } from '../rpc/transport.ts';
import { encodeFrames } from './encode-frames.ts';
import { createData, createDataFrame, createFrame, SESSION_METHOD } from './frames.ts';

const LIST = 'witan.llm.v1.ModelService/ListModels';
const COMPLETE = 'witan.llm.v1.CompletionService/Complete';
const WRITE = 'witan.ledger.v1.LedgerService/Write';
const TIMEOUT_MS = 10_000;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const openRecorder = async () => {
  const calls: string[] = [];
  const aborted = Promise.withResolvers<unknown>();
  const callee = await openCallee([
    implement(ModelService, {
      listModels: async (_request, { workspaceId }) => {
        calls.push(workspaceId);
        return { models: [{ id: workspaceId }] };
      },
    }),
    implementCompletions({
      async *complete(_request, { signal, workspaceId }) {
        calls.push(workspaceId);
        const reason = new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(signal.reason));
        });
        yield { event: { case: 'wire' as const, value: Buffer.from('first') } };
        aborted.resolve(await reason);
      },
    }),
    implement(LedgerService, { async *write() {} }),
  ]);
  closers.push(() => callee.stop(0));
  return { callee, calls, aborted: aborted.promise };
};

const openRawSession = ({ address, token }: Callee) => {
  const client = new Client(address, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', token());
  const { path, requestSerialize, responseDeserialize } = SESSION_METHOD;
  const stream = client.makeBidiStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    metadata,
  );
  closers.push(() => client.close());
  const received: Frame[] = [];
  const ended = Promise.withResolvers<string>();
  let onReceived = (): void => {};
  stream.on('data', ({ frames }: SessionFrames) => {
    received.push(...frames);
    onReceived();
  });
  stream.on('error', (error) => ended.resolve(fromGrpcError(error as never).reason));
  stream.on('end', () => ended.resolve('ended'));
  return {
    received,
    send: (...frames: Frame[]) => stream.write(encodeFrames(frames)),
    sendBytes: (bytes: Buffer) => stream.write(bytes),
    receive: (count: number) =>
      new Promise<void>((resolve) => {
        onReceived = () => {
          if (received.length >= count) resolve();
        };
        onReceived();
      }),
    endStream: () => stream.end(),
    breakStream: () => stream.cancel(),
    ended: ended.promise,
  };
};

const start = (
  callId: number,
  method: string,
  data: CallData | undefined,
  timeoutMs = TIMEOUT_MS,
) =>
  createFrame(callId, {
    case: 'start',
    value: {
      method,
      workspaceId: `ws_${callId}`,
      timeoutMs,
      creditBytes: 1_000,
      ...(data ? { data } : {}),
    },
  });
const EMPTY = createData(Buffer.alloc(0));
const cancel = (id: number): Frame => createFrame(id, { case: 'cancel', value: {} });

const summarize = ({ callId, kind }: Frame): string => {
  if (kind.case === 'error') return `${callId} ${kind.value.reason}`;
  if (kind.case !== 'data') return `${callId} ${kind.case ?? 'nothing'}`;
  const { models } = fromBinary(ListModelsResponseSchema, kind.value.message);
  return `${callId} answers ${models[0]?.id ?? 'something'}`;
};

describe('unexpected frames', () => {
  it.each<[string, Frame[]]>([
    ['data of an unknown call', [createDataFrame(7, EMPTY)]],
    ['credit of an unknown call', [createFrame(7, { case: 'credit', value: { bytes: 1 } })]],
    ['a cancel of an unknown call', [cancel(7)]],
    ['frames that only a server sends', [createFrame(7, { case: 'end', value: {} })]],
    ['a frame of no kind', [create(FrameSchema, { callId: 7 })]],
    ['data after a complete request', [start(1, LIST, EMPTY), createDataFrame(1, EMPTY)]],
  ])('ignores %s and serves the next call', async (_name, frames) => {
    const { callee, calls } = await openRecorder();
    const { send, receive, received, endStream, ended } = openRawSession(callee);
    send(...frames, start(8, LIST, EMPTY));
    const calledCount = frames.filter(({ kind }) => kind.case === 'start').length + 1;
    await receive(calledCount);
    expect(received.map(summarize).at(-1)).toBe('8 answers ws_8');
    expect(calls).toHaveLength(calledCount);
    endStream();
    expect(await ended).toBe('ended');
  });
});

describe('calls that cannot be served', () => {
  it.each<[string, Frame[], string]>([
    [
      'an unknown method',
      [start(1, 'witan.llm.v1.ModelService/Nothing', EMPTY)],
      'NOT_IMPLEMENTED',
    ],
    ['a duplex method', [start(1, WRITE, EMPTY)], 'NOT_IMPLEMENTED'],
    ['a request that cannot be decoded', [start(1, LIST, createData(Buffer.of(7)))], 'INTERNAL'],
    ['a request that never comes', [start(1, LIST, undefined, 20)], 'DEADLINE_EXCEEDED'],
    [
      'a request whose end never comes',
      [start(1, LIST, createData(Buffer.alloc(9), true), 20)],
      'DEADLINE_EXCEEDED',
    ],
    ['a call without any time', [start(1, COMPLETE, EMPTY, 0)], 'DEADLINE_EXCEEDED'],
  ])('fails %s without affecting other calls', async (_name, frames, reason) => {
    const { callee } = await openRecorder();
    const { send, receive, received, endStream, ended } = openRawSession(callee);
    send(...frames);
    await receive(1);
    while (summarize(received.at(-1)!) !== `1 ${reason}`) await receive(received.length + 1);
    send(createDataFrame(1, EMPTY), start(2, LIST, EMPTY));
    await receive(received.length + 1);
    expect(received.map(summarize).at(-1)).toBe('2 answers ws_2');
    endStream();
    expect(await ended).toBe('ended');
  });

  it('fails a request that exceeds the message size, and drops it', async () => {
    const { callee, calls } = await openRecorder();
    const { send, receive, received, endStream, ended } = openRawSession(callee);
    const fragment = createData(Buffer.alloc(1024 * 1024), true);
    send(start(1, LIST, fragment));
    for (let mib = 2; mib <= 45; mib += 1) send(createDataFrame(1, fragment));
    send(createDataFrame(1, EMPTY));
    await receive(1);
    expect(received.map(summarize)).toEqual(['1 REQUEST_TOO_LARGE']);
    endStream();
    expect(await ended).toBe('ended');
    expect(calls).toEqual([]);
  });

  it('sends nothing for a request that is cancelled before it is complete', async () => {
    const { callee, calls } = await openRecorder();
    const { send, received, endStream, ended } = openRawSession(callee);
    send(start(1, LIST, createData(Buffer.alloc(9), true)), cancel(1));
    endStream();
    expect(await ended).toBe('ended');
    expect([received, calls]).toEqual([[], []]);
  });
});

describe('a broken session', () => {
  it('aborts running calls after a reused call id', async () => {
    const { callee, aborted, calls } = await openRecorder();
    const { send, receive, ended } = openRawSession(callee);
    send(start(2, COMPLETE, EMPTY));
    await receive(1);
    send(start(2, LIST, EMPTY));
    expect(await ended).toBe('INVALID_REQUEST');
    await expect(aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
    expect(calls).toEqual(['ws_2']);
  });

  it('aborts running calls after invalid bytes', async () => {
    const { callee, aborted } = await openRecorder();
    const { send, sendBytes, receive, ended } = openRawSession(callee);
    send(start(1, COMPLETE, EMPTY));
    await receive(1);
    sendBytes(Buffer.from([0x0a, 0xff]));
    expect(await ended).toBe('INTERNAL');
    await expect(aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
  });

  it('aborts running calls when the client disconnects', async () => {
    const { callee, aborted } = await openRecorder();
    const { send, receive, breakStream } = openRawSession(callee);
    send(start(1, COMPLETE, EMPTY));
    await receive(1);
    breakStream();
    await expect(aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
  });
});

describe('a session of a stopping server', () => {
  it('receives goingAway once and still serves calls', async () => {
    const { callee } = await openRecorder();
    const { send, receive, received, endStream, ended } = openRawSession(callee);
    send(start(1, LIST, EMPTY));
    await receive(1);
    await callee.dispatcher.drain(TIMEOUT_MS);
    await receive(2);
    send(start(2, LIST, EMPTY));
    await receive(3);
    endStream();
    expect(await ended).toBe('ended');
    expect(received.map(summarize)).toEqual(['1 answers ws_1', '0 goingAway', '2 answers ws_2']);
  });

  it('receives goingAway when it opens', async () => {
    const { callee } = await openRecorder();
    await callee.dispatcher.drain(TIMEOUT_MS);
    const { receive, received } = openRawSession(callee);
    await receive(1);
    expect(received.map(summarize)).toEqual(['0 goingAway']);
  });
});
