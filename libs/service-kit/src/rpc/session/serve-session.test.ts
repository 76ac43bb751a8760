import { create, fromBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FrameSchema, ListModelsResponseSchema } from '@witan/contracts';
import type { CallData, Frame, SessionFrames } from '@witan/contracts';
import { LedgerService, ModelService } from '@witan/contracts/services';
import { implementCompletions } from '../../../test/implement-completions.ts';
import { openCallee } from '../../../test/open-callee.ts';
import type { Callee } from '../../../test/open-callee.ts';
import { fromGrpcError } from '../status.ts';
import { implement } from '../service.ts';
import { encodeFrames } from './encode-frames.ts';
import { createData, createDataFrame, createFrame } from './frames.ts';
import { SESSION_METHOD } from './session-method.ts';

const LIST = 'witan.llm.v1.ModelService/ListModels';
const COMPLETE = 'witan.llm.v1.CompletionService/Complete';
const WRITE = 'witan.ledger.v1.LedgerService/Write';
const TIMEOUT_MS = 10_000;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Lists its calls as they come; a completion runs until it is aborted. */
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

/** A client of sessions that says whatever it is told to. */
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
  const heard: Frame[] = [];
  const over = Promise.withResolvers<string>();
  let onHeard = (): void => {};
  stream.on('data', ({ frames }: SessionFrames) => {
    heard.push(...frames);
    onHeard();
  });
  stream.on('error', (error) => over.resolve(fromGrpcError(error as never).reason));
  stream.on('end', () => over.resolve('ended'));
  return {
    heard,
    say: (...frames: Frame[]) => stream.write(encodeFrames(frames)),
    sayBytes: (bytes: Buffer) => stream.write(bytes),
    /** Resolves when `count` frames came. */
    hear: (count: number) =>
      new Promise<void>((resolve) => {
        onHeard = () => {
          if (heard.length >= count) resolve();
        };
        onHeard();
      }),
    leave: () => stream.end(),
    cut: () => stream.cancel(),
    /** How the session ended. */
    over: over.promise,
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

/** What a frame says, in a word: the answer, the reason of an error, or the kind. */
const wordOf = ({ callId, kind }: Frame): string => {
  if (kind.case === 'error') return `${callId} ${kind.value.reason}`;
  if (kind.case !== 'data') return `${callId} ${kind.case ?? 'nothing'}`;
  const { models } = fromBinary(ListModelsResponseSchema, kind.value.message);
  return `${callId} answers ${models[0]?.id ?? 'something'}`;
};

describe('frames that nobody waits for', () => {
  it.each<[string, Frame[]]>([
    ['data of an unknown call', [createDataFrame(7, EMPTY)]],
    ['credit of an unknown call', [createFrame(7, { case: 'credit', value: { bytes: 1 } })]],
    ['a cancel of an unknown call', [cancel(7)]],
    ['frames that only a server sends', [createFrame(7, { case: 'end', value: {} })]],
    ['a frame of no kind', [create(FrameSchema, { callId: 7 })]],
    ['data behind a whole request', [start(1, LIST, EMPTY), createDataFrame(1, EMPTY)]],
  ])('%s is ignored, and the next call is answered', async (_what, frames) => {
    const { callee, calls } = await openRecorder();
    const { say, hear, heard, leave, over } = openRawSession(callee);
    say(...frames, start(8, LIST, EMPTY));
    const answered = frames.filter(({ kind }) => kind.case === 'start').length + 1;
    await hear(answered);
    expect(heard.map(wordOf).at(-1)).toBe('8 answers ws_8');
    expect(calls).toHaveLength(answered);
    // A session ends when it is left and has no call any more.
    leave();
    expect(await over).toBe('ended');
  });
});

describe('calls that cannot be', () => {
  it.each<[string, Frame[], string]>([
    [
      'a method that nobody has',
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
  ])('%s fails alone', async (_what, frames, reason) => {
    const { callee } = await openRecorder();
    const { say, hear, heard, leave, over } = openRawSession(callee);
    say(...frames);
    await hear(1);
    while (wordOf(heard.at(-1)!) !== `1 ${reason}`) await hear(heard.length + 1);
    say(createDataFrame(1, EMPTY), start(2, LIST, EMPTY));
    await hear(heard.length + 1);
    expect(heard.map(wordOf).at(-1)).toBe('2 answers ws_2');
    leave();
    expect(await over).toBe('ended');
  });

  it('fails a request that grows above the limit of a message, and forgets it', async () => {
    const { callee, calls } = await openRecorder();
    const { say, hear, heard, leave, over } = openRawSession(callee);
    const fragment = createData(Buffer.alloc(1024 * 1024), true);
    say(start(1, LIST, fragment));
    for (let mib = 2; mib <= 45; mib += 1) say(createDataFrame(1, fragment));
    say(createDataFrame(1, EMPTY));
    await hear(1);
    expect(heard.map(wordOf)).toEqual(['1 REQUEST_TOO_LARGE']);
    leave();
    expect(await over).toBe('ended');
    expect(calls).toEqual([]);
  });

  it('answers nothing to a request that is called off half way', async () => {
    const { callee, calls } = await openRecorder();
    const { say, heard, leave, over } = openRawSession(callee);
    say(start(1, LIST, createData(Buffer.alloc(9), true)), cancel(1));
    leave();
    expect(await over).toBe('ended');
    expect([heard, calls]).toEqual([[], []]);
  });
});

describe('a session that is broken', () => {
  it('by an id that was used aborts what runs', async () => {
    const { callee, aborted, calls } = await openRecorder();
    const { say, hear, over } = openRawSession(callee);
    say(start(2, COMPLETE, EMPTY));
    await hear(1);
    say(start(2, LIST, EMPTY));
    expect(await over).toBe('INVALID_REQUEST');
    await expect(aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
    expect(calls).toEqual(['ws_2']);
  });

  it('by bytes that are no frames aborts what runs', async () => {
    const { callee, aborted } = await openRecorder();
    const { say, sayBytes, hear, over } = openRawSession(callee);
    say(start(1, COMPLETE, EMPTY));
    await hear(1);
    sayBytes(Buffer.from([0x0a, 0xff]));
    expect(await over).toBe('INTERNAL');
    await expect(aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
  });

  it('by its client aborts what runs', async () => {
    const { callee, aborted } = await openRecorder();
    const { say, hear, cut } = openRawSession(callee);
    say(start(1, COMPLETE, EMPTY));
    await hear(1);
    cut();
    await expect(aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
  });
});

describe('a session whose server winds up', () => {
  it('is told so, once, and answers what it is still asked', async () => {
    const { callee } = await openRecorder();
    const { say, hear, heard, leave, over } = openRawSession(callee);
    say(start(1, LIST, EMPTY));
    await hear(1);
    await callee.dispatcher.drain(TIMEOUT_MS);
    await hear(2);
    say(start(2, LIST, EMPTY));
    await hear(3);
    leave();
    expect(await over).toBe('ended');
    expect(heard.map(wordOf)).toEqual(['1 answers ws_1', '0 goingAway', '2 answers ws_2']);
  });

  it('is told so when it opens', async () => {
    const { callee } = await openRecorder();
    await callee.dispatcher.drain(TIMEOUT_MS);
    const { hear, heard } = openRawSession(callee);
    await hear(1);
    expect(heard.map(wordOf)).toEqual(['0 goingAway']);
  });
});
