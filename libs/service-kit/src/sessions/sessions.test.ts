import { propagation } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { CompleteEvent } from '@witan/contracts';
import { ModelService } from '@witan/contracts/services';
import { implementCompletions } from '../../test/implement-completions.ts';
import { CALL, openCallee } from '../../test/open-callee.ts';
import type { Callee } from '../../test/open-callee.ts';
import { openCaller } from '../../test/open-caller.ts';
import type { Caller } from '../../test/open-caller.ts';
import { reasonOf } from '../../test/reason-of.ts';
import type { Call } from '../rpc/call.ts';
import { implement } from '../rpc/transport.ts';
import type { Implementation } from '../rpc/transport.ts';

const MIB = 1024 * 1024;

const eventOf = (value: Uint8Array) => ({ event: { case: 'wire' as const, value } });
const requestOf = (json: Uint8Array) => ({
  input: { case: 'wire' as const, value: { dialect: 'chat-completions', json } },
});
const bytesOf = ({ event }: CompleteEvent): Uint8Array =>
  event.case === 'wire' ? event.value : Buffer.alloc(0);

const readAll = async (events: AsyncIterable<CompleteEvent>): Promise<CompleteEvent[]> => {
  const received: CompleteEvent[] = [];
  for await (const event of events) received.push(event);
  return received;
};

const aborted = (call: Call): Promise<unknown> =>
  new Promise((resolve) => {
    call.signal.addEventListener('abort', () => resolve(call.signal.reason));
  });

const named = (id: string): Implementation =>
  implement(ModelService, { listModels: async () => ({ models: [{ id }] }) });

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const open = async (implementations: readonly Implementation[]): Promise<Callee> => {
  const callee = await openCallee(implementations);
  closers.push(() => callee.stop(0));
  return callee;
};

const connect = async (callee: Callee): Promise<Caller> => {
  const caller = openCaller(callee);
  closers.push(caller.transport.close);
  await caller.transport.ready(CALL.timeoutMs);
  return caller;
};

describe('a session with messages of different sizes', () => {
  it('carries 20 MiB both ways', async () => {
    const echo = implementCompletions({
      async *complete({ input }) {
        if (input.case === 'wire') yield eventOf(input.value.json);
      },
    });
    const { completions } = await connect(await open([echo]));
    const body = Buffer.alloc(20 * MIB, 'a body that no period of two divides; ');
    const events = await readAll(completions.complete(requestOf(body), CALL));
    expect(events).toHaveLength(1);
    expect(Buffer.compare(bytesOf(events[0]!), body)).toBe(0);
  });

  it('lets a small call overtake a huge request', async () => {
    const ignoring = implementCompletions({ async *complete() {} });
    const { models, completions } = await connect(await open([ignoring, named('small')]));
    const order: string[] = [];
    const hugeCall = readAll(completions.complete(requestOf(Buffer.alloc(30 * MIB)), CALL));
    const small = models.listModels({}, CALL);
    await Promise.all([
      hugeCall.then(() => order.push('huge')),
      small.then(() => order.push('small')),
    ]);
    expect(order).toEqual(['small', 'huge']);
  });

  it('rejects a request above the message size and carries the next one', async () => {
    const ignoring = implementCompletions({ async *complete() {} });
    const caller = await connect(await open([ignoring, named('fine')]));
    const call = readAll(caller.completions.complete(requestOf(Buffer.alloc(41 * MIB)), CALL));
    expect(await reasonOf(call)).toBe('REQUEST_TOO_LARGE');
    expect(await caller.readReplicaName()).toBe('fine');
  });

  it('fails a call whose response is too large, and runs its handler to the end', async () => {
    const finished = Promise.withResolvers<void>();
    const hugeHandlers = implementCompletions({
      async *complete() {
        yield eventOf(Buffer.from('small'));
        yield eventOf(Buffer.alloc(41 * MIB));
        yield eventOf(Buffer.from('dropped'));
        finished.resolve();
      },
    });
    const { completions } = await connect(await open([hugeHandlers]));
    const received: string[] = [];
    const reading = (async () => {
      for await (const event of completions.complete({}, CALL)) {
        received.push(Buffer.from(bytesOf(event)).toString());
      }
    })();
    expect(await reasonOf(reading)).toBe('REQUEST_TOO_LARGE');
    await finished.promise;
    expect(received).toEqual(['small']);
  });
});

describe('flow-control credit', () => {
  /**
   * Implements a handler that yields as many messages of 32 KiB as `systemPreamble` says, and
   * writes their number to `sentCounts` by `proofId`.
   */
  const countResponses = (sentCounts: Map<string, number>): Implementation =>
    implementCompletions({
      async *complete({ proofId, systemPreamble }) {
        for (let n = 1; n <= Number(systemPreamble); n += 1) {
          sentCounts.set(proofId, n);
          yield eventOf(Buffer.alloc(32 * 1024));
        }
      },
    });

  it('pauses only the handler of a slow reader', async () => {
    const sentCounts = new Map<string, number>();
    const { completions } = await connect(await open([countResponses(sentCounts)]));
    const startStream = (proofId: string) =>
      completions.complete({ proofId, systemPreamble: '500' }, CALL);
    const slowReader = startStream('slow')[Symbol.asyncIterator]();
    await slowReader.next();
    expect(await readAll(startStream('fast'))).toHaveLength(500);
    expect(sentCounts.get('slow')).toBeLessThanOrEqual(4);
    let rest = 0;
    while (!(await slowReader.next()).done) rest += 1;
    expect(rest).toBe(499);
  });

  it('limits small responses too', async () => {
    let sentCount = 0;
    const tinyMessages = implementCompletions({
      async *complete() {
        for (; sentCount < 100_000; sentCount += 1) yield eventOf(Buffer.of(1));
      },
    });
    const { completions, models } = await connect(await open([tinyMessages, named('other')]));
    const slowReader = completions.complete({}, CALL)[Symbol.asyncIterator]();
    await slowReader.next();
    await models.listModels({}, CALL);
    const sentWhileSlow = sentCount;
    await models.listModels({}, CALL);
    expect(sentCount).toBe(sentWhileSlow);
    expect(sentCount).toBeLessThan(1_000);
    await slowReader.return?.();
  });

  it('releases a waiting handler when the call is cancelled', async () => {
    const finished = Promise.withResolvers<unknown>();
    const endlessHandlers = implementCompletions({
      async *complete(_request, call) {
        while (!call.signal.aborted) yield eventOf(Buffer.alloc(32 * 1024));
        finished.resolve(call.signal.reason);
      },
    });
    const { completions } = await connect(await open([endlessHandlers]));
    const slowReader = completions.complete({}, CALL)[Symbol.asyncIterator]();
    await slowReader.next();
    await slowReader.return?.();
    await expect(finished.promise).resolves.toMatchObject({ reason: 'CANCELLED' });
  });
});

describe('createSessionTransport', () => {
  it('aborts the handler with DEADLINE_EXCEEDED, not CANCELLED, at the deadline', async () => {
    const seenReason = Promise.withResolvers<unknown>();
    const lateHandlers = implementCompletions({
      async *complete(_request, call) {
        seenReason.resolve(await aborted(call));
        yield eventOf(Buffer.from('dropped'));
      },
    });
    const { completions } = await connect(await open([lateHandlers]));
    const call = readAll(completions.complete({}, { ...CALL, timeoutMs: 50 }));
    expect(await reasonOf(call)).toBe('DEADLINE_EXCEEDED');
    await expect(seenReason.promise).resolves.toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
  });

  it('sends nothing for a call that was aborted before it started', async () => {
    let calls = 0;
    const counted = implement(ModelService, {
      listModels: async () => {
        calls += 1;
        return {};
      },
    });
    const { models, completions } = await connect(await open([counted]));
    const options = { ...CALL, signal: AbortSignal.abort() };
    expect(await reasonOf(models.listModels({}, options))).toBe('CANCELLED');
    expect(await reasonOf(readAll(completions.complete({}, options)))).toBe('CANCELLED');
    await models.listModels({}, CALL);
    expect(calls).toBe(1);
  });

  it('returns done for every read after the end', async () => {
    const failingHandlers = implementCompletions({
      async *complete() {
        yield eventOf(Buffer.from('one'));
      },
    });
    const { completions } = await connect(await open([failingHandlers]));
    const events = completions.complete({}, CALL)[Symbol.asyncIterator]();
    const results = await Promise.all([events.next(), events.next(), events.next()]);
    expect(results.map(({ done }) => done)).toEqual([false, true, true]);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

describe('the trace of a call', () => {
  afterEach(() => propagation.disable());

  it('reaches the server if the propagator writes one', async () => {
    const received: unknown[] = [];
    let traceparent: string | undefined = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    propagation.setGlobalPropagator({
      fields: () => ['traceparent'],
      inject: (_context, carrier, setter) => {
        if (traceparent) setter.set(carrier, 'traceparent', traceparent);
      },
      extract: (context, carrier, getter) => {
        received.push(getter.get(carrier, 'traceparent'));
        return context;
      },
    });
    const { readReplicaName } = await connect(await open([named('traced')]));
    const sentTraceparent = traceparent;
    await readReplicaName();
    traceparent = undefined;
    await readReplicaName();
    expect(received).toEqual([sentTraceparent, undefined]);
  });
});
