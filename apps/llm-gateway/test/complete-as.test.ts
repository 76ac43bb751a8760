import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { isServiceError } from '@witan/contracts';
import type { CompleteAsMessageSchema } from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import { commitAnswer } from '@witan/proof';
import {
  createChannel,
  createClient,
  createDispatcher,
  createGrpcTransport,
  createInProcessTransport,
  createLog,
  createTokenIssuer,
  createTokenVerifier,
  implement,
  openGrpcServer,
} from '@witan/service-kit';
import type { Dispatcher, Transport } from '@witan/service-kit';
import { sessions } from '@witan/service-kit/sessions';
import { eventually } from '@witan/testing';
import { createCompletionHandlers } from '../src/completion/rpc/completions.ts';
import { createFakeProvider } from './fake-provider.ts';
import type { FakeProviderOptions } from './fake-provider.ts';
import { openCompletions } from './open-completions.ts';
import { chatFrame, DONE, replyInChat, streamOf } from './provider-answers.ts';
import { neutralRequest } from './requests.ts';

type Message = MessageInitShape<typeof CompleteAsMessageSchema>;
type Open = (dispatcher: Dispatcher) => Promise<Transport>;

const CALL = { workspaceId: 'ws_a', requestId: 'req-12345678', timeoutMs: 20_000 };
const toContentHash = (content: string): string =>
  commitAnswer([{ index: 0, content, toolCalls: [] }]);

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const openGrpcTransport =
  (connect: (options: { address: string; token: () => string }) => Transport): Open =>
  async (dispatcher) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const publicKeys = { agents: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
    const server = await openGrpcServer({
      dispatcher,
      link: sessions,
      address: '127.0.0.1:0',
      verifyCaller: createTokenVerifier({ audience: 'llm-gateway', publicKeys }),
    });
    closers.push(() => server.stop(100));
    const transport = connect({
      address: `127.0.0.1:${server.port}`,
      token: createTokenIssuer({ caller: 'agents', audience: 'llm-gateway', privateKey }),
    });
    closers.push(transport.close);
    return transport;
  };

const TRANSPORTS: readonly (readonly [string, Open])[] = [
  [
    'in process',
    async (dispatcher) =>
      createInProcessTransport({ caller: 'agents', dispatcher: () => dispatcher }),
  ],
  ['over gRPC', openGrpcTransport(createGrpcTransport)],
  ['over the session transport', openGrpcTransport(sessions.connect)],
];

describe.each(TRANSPORTS)('an edited answer %s', (_name, open) => {
  const connect = async (reply: FakeProviderOptions['reply']) => {
    const completions = openCompletions({ providers: [createFakeProvider({ reply })] });
    const { deps } = completions;
    const dispatcher = createDispatcher({
      implementations: [implement(CompletionService, createCompletionHandlers(deps))],
      callers: { agents: { CompletionService: ['CompleteAs'] } },
      log: createLog({ service: 'llm-gateway', level: 'silent' }),
    });
    const client = createClient(CompletionService, await open(dispatcher));
    const messages = createChannel<Message>(2);
    const request = neutralRequest({ streamed: true });
    void messages.push({ message: { case: 'request', value: request } });
    const deliver = (content: string): void => {
      void messages.push({ message: { case: 'delivered', value: { content } } });
      messages.end();
    };
    const call = (options: { signal?: AbortSignal } = {}) =>
      client.completeAs(messages, { ...CALL, ...options });
    return { ...completions, call, deliver, messages };
  };

  it('is certified as delivered', async () => {
    const { call, deliver, certified } = await connect(({ body }) =>
      replyInChat({ content: ['pong ', 'pang'] }, body),
    );
    const kinds: unknown[] = [];
    for await (const { event } of call()) {
      kinds.push(event.case);
      if (event.case === 'ending') deliver('PONG');
    }
    expect(kinds).toEqual(['opened', 'part', 'part', 'ending', 'completed']);
    expect(certified[0]!.answer).toMatchObject({
      sha256: toContentHash('PONG'),
      finishReason: 'stop',
    });
  });

  it('is certified as aborted when its caller stops reading', async () => {
    const { call, messages, certified } = await connect(undefined);
    for await (const { event } of call()) if (event.case === 'ending') break;
    await eventually(() => certified.length > 0, 'the certificate');
    messages.end();
    expect(certified[0]!.answer).toMatchObject({
      sha256: toContentHash('pong'),
      finishReason: 'aborted',
    });
  });

  it('stops its provider when its caller aborts', async () => {
    const controller = new AbortController();
    const stopped = Promise.withResolvers<void>();
    const { call, messages, certified } = await connect(({ signal }) =>
      streamOf(
        (async function* endless() {
          yield chatFrame({ choices: [{ index: 0, delta: { content: 'half' } }] });
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve);
          });
          stopped.resolve();
          signal.throwIfAborted();
        })(),
      ),
    );
    const reading = (async () => {
      for await (const { event } of call({ signal: controller.signal })) {
        if (event.case === 'part') controller.abort();
      }
    })();
    const failure = await reading.catch((error: unknown) => error);
    expect(isServiceError(failure) && failure.reason).toBe('CANCELLED');
    await stopped.promise;
    await eventually(() => certified.length > 0, 'the certificate');
    messages.end();
    expect(certified[0]!.answer).toMatchObject({
      sha256: toContentHash('half'),
      finishReason: 'aborted',
    });
  });

  it('applies backpressure to the provider when the caller reads slowly', async () => {
    let sent = 0;
    const chunk = chatFrame({ choices: [{ index: 0, delta: { content: 'x'.repeat(64 * 1024) } }] });
    const stopFrame = chatFrame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    const { call, messages } = await connect(() =>
      streamOf(
        (async function* many() {
          for (; sent < 400; sent += 1) yield chunk;
          yield stopFrame;
          yield DONE;
        })(),
      ),
    );
    const events = call()[Symbol.asyncIterator]();
    await events.next();
    for (let tick = 0; tick < 500; tick += 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    expect(sent).toBeLessThan(300);
    await events.return?.();
    messages.end();
  });
});
