import { callGraph } from '@witan/contracts/call-graph';
import type { CompleteRequest } from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import { createInProcessTransport, createLog, implement, startService } from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';

export type GatewayCall = {
  proofId: string;
  purpose: string;
  /** Slug of the agent that is asked; empty for calls that are not by an agent. */
  slug: string;
  isSensitive: boolean;
  isStreamed: boolean;
  prompt: string;
};

export type EmbeddingCall = { workspaceId: string; model: string; texts: string[] };

export type FakeGateway = AsyncDisposable & {
  calls: GatewayCall[];
  embeddings: EmbeddingCall[];
  connect: () => Transport;
};

const USAGE = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };

/**
 * Opens a fake llm-gateway that answers calls with `respond`, and calls for embeddings with the
 * vectors of `embed`. If one of them rejects with an error, the call fails with it.
 */
export const openFakeGateway = async (
  respond: (call: GatewayCall) => Promise<object>,
  embed: (call: EmbeddingCall) => Promise<number[][]> = rejectEmbeddings,
): Promise<FakeGateway> => {
  const calls: GatewayCall[] = [];
  const embeddings: EmbeddingCall[] = [];
  async function* complete(request: CompleteRequest) {
    const call = toCall(request);
    calls.push(call);
    const text = JSON.stringify(await respond(call));
    const { proofId } = call;
    const openedEvent = { provider: 'fake', model: 'fake', status: 200, proofId, neutral: true };
    yield { event: { case: 'opened' as const, value: openedEvent } };
    const part = { part: { case: 'text' as const, value: text } };
    yield { event: { case: 'part' as const, value: part } };
  }
  const service = await startService({
    name: 'llm-gateway',
    config: {},
    create: async () => ({
      implementations: [
        implement(CompletionService, {
          complete: async function* (request, { workspaceId }) {
            if (request.input.case === 'wire') {
              const call = toEmbeddingCall(request, workspaceId);
              embeddings.push(call);
              return yield* answerEmbeddings(request, call.model, await embed(call));
            }
            yield* complete(request);
            const value = { proofId: request.proofId, finishReason: 'stop', usage: USAGE };
            yield { event: { case: 'completed' as const, value } };
          },
          completeAs: async function* (messages) {
            const incoming = messages[Symbol.asyncIterator]();
            const { message } = (await incoming.next()).value!;
            const request = message.value as CompleteRequest;
            yield* complete(request);
            const ending = { finishReason: 'stop', usage: USAGE };
            yield { event: { case: 'ending' as const, value: ending } };
            await incoming.next();
            const value = { proofId: request.proofId, ...ending };
            yield { event: { case: 'completed' as const, value } };
          },
        }),
      ],
      checks: {},
      stop: async () => {},
    }),
    callGraph,
    log: createLog({ service: 'llm-gateway', level: 'silent' }),
    connect: () => createInProcessTransport({ caller: 'llm-gateway', dispatcher: () => undefined }),
    admin: { host: '127.0.0.1', port: 0 },
    drainMs: 100,
  });
  const dispatcher = () => service.dispatcher;
  return {
    calls,
    embeddings,
    connect: () => createInProcessTransport({ caller: 'agents', dispatcher }),
    [Symbol.asyncDispose]: service.stop,
  };
};

const toEmbeddingCall = ({ input }: CompleteRequest, workspaceId: string): EmbeddingCall => {
  const { dialect, json } = input.value as { dialect: string; json: Uint8Array };
  if (dialect !== 'embeddings') throw new Error(`unexpected dialect ${dialect}`);
  const body = JSON.parse(Buffer.from(json).toString()) as { model: string; input: string[] };
  return { workspaceId, model: body.model, texts: body.input };
};

function* answerEmbeddings({ proofId }: CompleteRequest, model: string, vectors: number[][]) {
  const data = vectors.map((embedding, index) => ({ index, embedding }));
  const opened = { provider: 'fake', model, status: 200, proofId };
  yield { event: { case: 'opened' as const, value: opened } };
  yield { event: { case: 'wire' as const, value: Buffer.from(JSON.stringify({ data })) } };
  yield { event: { case: 'completed' as const, value: { proofId } } };
}

const rejectEmbeddings = async (): Promise<never> => {
  throw new Error('unexpected call for embeddings');
};

const toCall = ({ proofId, purpose, address, input }: CompleteRequest): GatewayCall => {
  const { system, turns, streamed, responseFormat } =
    input.case === 'conversation'
      ? input.value
      : { system: [], turns: [], streamed: false, responseFormat: undefined };
  const texts = turns.flatMap(({ parts }) =>
    parts.map(({ part }) => (part.case === 'text' ? part.value.text : '')),
  );
  const schema = responseFormat?.schema ?? '';
  const prompt = [...system.map(({ text }) => text), schema, ...texts].join('\n\n');
  const { agent: slug = '', sensitive: isSensitive = false } = address ?? {};
  return { proofId, purpose, slug, isSensitive, isStreamed: streamed, prompt };
};
