import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest, isServiceError } from '@witan/contracts';
import type { CompleteAsMessageSchema } from '@witan/contracts';
import { CompletionService, LedgerService, ModelService } from '@witan/contracts/services';
import { allowAll } from '../../test/allow-all.ts';
import { implementCompletions } from '../../test/implement-completions.ts';
import { createLog } from '../log/create-log.ts';
import { sessions } from '../sessions/sessions.ts';
import { createTokenIssuer, createTokenVerifier } from './caller-token.ts';
import { createChannel } from './channel.ts';
import { createDispatcher } from './dispatcher.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createGrpcTransport } from './grpc-client.ts';
import { openGrpcServer } from './grpc-server.ts';
import { createInProcessTransport } from './in-process.ts';
import type { Implementation, Transport } from './transport.ts';
import { implement, createClient } from './transport.ts';

type CompleteAsInit = MessageInitShape<typeof CompleteAsMessageSchema>;

const TIMEOUT_MS = 5_000;
const options = {
  timeoutMs: TIMEOUT_MS,
  workspaceId: 'ws_a',
  requestId: 'req-12345678',
  actorId: 'key_a',
};

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return isServiceError(error) ? error.reason : `no ServiceError: ${String(error)}`;
  }
  return 'no failure';
};

const readAll = async <T>(events: AsyncIterable<T>): Promise<T[]> => {
  const received: T[] = [];
  for await (const event of events) received.push(event);
  return received;
};

const createGate = () => Promise.withResolvers<void>();

type Opened = { transport: Transport; close: () => Promise<void> };
type Open = (dispatcher: Dispatcher, caller: string) => Promise<Opened>;

const openInProcess: Open = async (dispatcher, caller) => ({
  transport: createInProcessTransport({ caller, dispatcher: () => dispatcher }),
  close: async () => {},
});

type Connect = (options: { address: string; token: () => string }) => Transport;

const openOverGrpc = async (
  connect: Connect,
  dispatcher: Dispatcher,
  caller: string,
): Promise<Opened> => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const server = await openGrpcServer({
    dispatcher,
    link: sessions,
    address: '127.0.0.1:0',
    verifyCaller: createTokenVerifier({ audience: 'callee', publicKeys: { [caller]: pem } }),
  });
  const transport = connect({
    address: `127.0.0.1:${server.port}`,
    token: createTokenIssuer({ caller, audience: 'callee', privateKey }),
  });
  return {
    transport,
    close: async () => {
      await transport.close();
      await server.stop(100);
    },
  };
};

const openGrpc: Open = (...callee) => openOverGrpc(createGrpcTransport, ...callee);
const openSession: Open = (...callee) => openOverGrpc(sessions.connect, ...callee);

describe.each([
  ['in-process', openInProcess],
  ['gRPC', openGrpc],
  ['session', openSession],
] as const)('the %s transport', (_name, open) => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  const connect = async (implementation: Implementation, caller = 'friend'): Promise<Transport> => {
    const dispatcher = createDispatcher({
      implementations: [implementation],
      callers: { friend: allowAll([implementation]), reader: { ModelService: [] } },
      log: createLog({ service: 'callee', level: 'silent' }),
    });
    const opened = await open(dispatcher, caller);
    closers.push(opened.close);
    return opened.transport;
  };

  it('passes the workspace, request id and caller of a unary call', async () => {
    const transport = await connect(
      implement(ModelService, {
        listModels: async (_request, call) => ({
          models: [{ id: [call.caller, call.workspaceId, call.requestId, call.actorId].join('/') }],
        }),
      }),
    );
    const response = await createClient(ModelService, transport).listModels({}, options);
    expect(response.models[0]).toMatchObject({ id: 'friend/ws_a/req-12345678/key_a', ownedBy: '' });
  });

  it('passes the reason, message and fields of an error', async () => {
    const transport = await connect(
      implement(ModelService, {
        listModels: async () => {
          throw invalidRequest('The model is missing.', { param: 'model' });
        },
      }),
    );
    const call = createClient(ModelService, transport).listModels({}, options);
    await expect(call).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      message: 'The model is missing.',
      fields: { param: 'model' },
    });
  });

  it('reports an unexpected error as INTERNAL without its message', async () => {
    const transport = await connect(
      implement(ModelService, {
        listModels: async () => {
          throw new Error('secret table name');
        },
      }),
    );
    const call = createClient(ModelService, transport).listModels({}, options);
    await expect(call).rejects.toMatchObject({ reason: 'INTERNAL' });
    await expect(call).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
  });

  it.each([
    ['a caller that the call graph does not list', 'stranger'],
    ['a call that the call graph does not allow its caller', 'reader'],
  ])('rejects %s', async (_case, caller) => {
    let calls = 0;
    const listModels = async () => {
      calls += 1;
      return {};
    };
    const transport = await connect(implement(ModelService, { listModels }), caller);
    const call = createClient(ModelService, transport).listModels({}, options);
    expect(await reasonOf(call)).toBe('CALLER_REFUSED');
    expect(calls).toBe(0);
  });

  it('ends a call at its deadline, on both sides', async () => {
    const seenReason = Promise.withResolvers<unknown>();
    const transport = await connect(
      implement(ModelService, {
        listModels: async (_request, call) => {
          await new Promise((resolve) => {
            call.signal.addEventListener('abort', resolve);
          });
          seenReason.resolve(call.signal.reason);
          return {};
        },
      }),
    );
    const client = createClient(ModelService, transport);
    // Connects first, so that the deadline passes in the handler and not while connecting.
    await transport.ready(options.timeoutMs);
    const call = client.listModels({}, { ...options, timeoutMs: 500 });
    expect(await reasonOf(call)).toBe('DEADLINE_EXCEEDED');
    await expect(seenReason.promise).resolves.toHaveProperty('reason');
  });

  it('streams in order and ends', async () => {
    const transport = await connect(
      implementCompletions({
        async *complete() {
          for (let n = 0; n < 100; n += 1) {
            yield { event: { case: 'wire' as const, value: Buffer.from([n]) } };
          }
        },
      }),
    );
    const events = await readAll(createClient(CompletionService, transport).complete({}, options));
    expect(events.map(({ event }) => (event.value as Uint8Array)[0])).toEqual(
      Array.from({ length: 100 }, (_, n) => n),
    );
  });

  it('delivers the messages before a failure, then its reason', async () => {
    const transport = await connect(
      implementCompletions({
        async *complete() {
          yield { event: { case: 'wire' as const, value: Buffer.from('half') } };
          throw invalidRequest('no more');
        },
      }),
    );
    const received: unknown[] = [];
    const reading = (async () => {
      for await (const event of createClient(CompletionService, transport).complete({}, options)) {
        received.push(event);
      }
    })();
    expect(await reasonOf(reading)).toBe('INVALID_REQUEST');
    expect(received).toHaveLength(1);
  });

  it('aborts the handler when the caller aborts, and runs it to its end', async () => {
    const finished = createGate();
    const transport = await connect(
      implementCompletions({
        async *complete(_request, call) {
          yield { event: { case: 'wire' as const, value: Buffer.from('first') } };
          await new Promise((resolve) => {
            call.signal.addEventListener('abort', resolve);
          });
          yield { event: { case: 'wire' as const, value: Buffer.from('dropped') } };
          finished.resolve();
        },
      }),
    );
    const controller = new AbortController();
    const client = createClient(CompletionService, transport);
    const received: unknown[] = [];
    const reading = (async () => {
      for await (const event of client.complete({}, { ...options, signal: controller.signal })) {
        received.push(event);
        controller.abort();
      }
    })();
    expect(await reasonOf(reading)).toBe('CANCELLED');
    await finished.promise;
    expect(received).toHaveLength(1);
  });

  it('aborts the handler when the caller breaks out of the loop', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const transport = await connect(
      implementCompletions({
        async *complete(_request, call) {
          call.signal.addEventListener('abort', () => aborted.resolve(call.signal.reason));
          for (;;) {
            if (call.signal.aborted) return;
            yield { event: { case: 'wire' as const, value: Buffer.alloc(100) } };
            await new Promise((resolve) => {
              setImmediate(resolve);
            });
          }
        },
      }),
    );
    for await (const _event of createClient(CompletionService, transport).complete({}, options)) {
      break;
    }
    await expect(aborted.promise).resolves.toMatchObject({ reason: 'CANCELLED' });
  });

  it('pauses a handler whose caller does not read', async () => {
    let sentCount = 0;
    const transport = await connect(
      implementCompletions({
        async *complete() {
          for (; sentCount < 2_000; sentCount += 1) {
            yield { event: { case: 'wire' as const, value: Buffer.alloc(64 * 1024) } };
          }
        },
      }),
    );
    const events = createClient(CompletionService, transport).complete({}, options);
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    for (let n = 0; n < 200; n += 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    expect(sentCount).toBeLessThan(1_000);
    await iterator.return?.();
  });

  it('returns receipts in any order while more batches arrive', async () => {
    const transport = await connect(
      implement(LedgerService, {
        async *write(batches) {
          for await (const batch of batches) {
            const receipts = batch.writes.map(({ sequence }) => ({ sequence }));
            yield { receipts: receipts.toReversed() };
          }
        },
      }),
    );
    const batches = createChannel<{ writes: { sequence: number }[] }>(8);
    const receipts = createClient(LedgerService, transport).write(batches, {});
    const reader = receipts[Symbol.asyncIterator]();
    void batches.push({ writes: [{ sequence: 1 }, { sequence: 2 }] });
    const first = await reader.next();
    expect(first.value.receipts.map((r: { sequence: number }) => r.sequence)).toEqual([2, 1]);
    void batches.push({ writes: [{ sequence: 3 }] });
    const second = await reader.next();
    expect(second.value.receipts[0].sequence).toBe(3);
    batches.end();
    expect((await reader.next()).done).toBe(true);
  });

  it('aborts the handler when the caller ends an alternating duplex call', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const transport = await connect(
      implementCompletions({
        async *completeAs(messages, call) {
          const iterator = messages[Symbol.asyncIterator]();
          for (let n = 0; n < 2; n += 1) {
            const { value } = await iterator.next();
            yield { event: { case: 'wire' as const, value: Buffer.from(value.message.case) } };
          }
          call.signal.addEventListener('abort', () => aborted.resolve(call.signal.reason));
          await aborted.promise;
        },
      }),
    );
    const messages = createChannel<CompleteAsInit>(2);
    void messages.push({ message: { case: 'request', value: {} } });
    const received: string[] = [];
    const events = createClient(CompletionService, transport).completeAs(messages, options);
    for await (const { event } of events) {
      received.push(Buffer.from(event.value as Uint8Array).toString());
      if (received.length === 2) break;
      void messages.push({ message: { case: 'delivered', value: { content: 'hi' } } });
    }
    expect(received).toEqual(['request', 'delivered']);
    await expect(aborted.promise).resolves.toMatchObject({ reason: 'CANCELLED' });
  });

  it('ends a long-lived stream when the service stops', async () => {
    const dispatcher = createDispatcher({
      implementations: [
        implement(LedgerService, {
          async *write(_batches, call) {
            await new Promise((resolve) => {
              call.stopping.addEventListener('abort', resolve);
            });
            yield { receipts: [{ sequence: 9 }] };
          },
        }),
      ],
      callers: { friend: { LedgerService: ['Write'] } },
      log: createLog({ service: 'callee', level: 'silent' }),
    });
    const { transport, close } = await open(dispatcher, 'friend');
    closers.push(close);
    const batches = createChannel<object>(1);
    const reading = readAll(createClient(LedgerService, transport).write(batches as never, {}));
    await transport.ready(TIMEOUT_MS);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    await dispatcher.drain(TIMEOUT_MS);
    expect(await reading).toHaveLength(1);
  });
});

describe('caller tokens', () => {
  it('rejects a token for another audience, a changed one and one of an unknown caller', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const token = createTokenIssuer({ caller: 'a', audience: 'b', privateKey })();
    const verifyFor = (audience: string, publicKeys: Record<string, string>) =>
      createTokenVerifier({ audience, publicKeys });
    expect(verifyFor('b', { a: pem })(token)).toBe('a');
    expect(() => verifyFor('c', { a: pem })(token)).toThrow('did not prove');
    expect(() => verifyFor('b', {})(token)).toThrow('did not prove');
    const [body, signature] = token.split('.') as [string, string];
    const changed = `${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expect(() => verifyFor('b', { a: pem })(changed)).toThrow('did not prove');
    expect(() => verifyFor('b', { a: pem })('')).toThrow('did not prove');
  });
});
