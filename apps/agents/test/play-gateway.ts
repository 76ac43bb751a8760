import { callGraph } from '@witan/contracts/call-graph';
import type { CompleteRequest } from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import { createInProcessTransport, createLog, implement, startService } from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';

/** One call of a model. */
export type GatewayCall = {
  proofId: string;
  purpose: string;
  /** Of the agent whose call it is; empty of others. */
  slug: string;
  /** It must stay on the machine. */
  isSensitive: boolean;
  /** Its text is wanted as it comes. */
  isStreamed: boolean;
  prompt: string;
};

/** An llm-gateway whose models say what a test plays. */
export type PlayedGateway = AsyncDisposable & {
  calls: GatewayCall[];
  /** As the agents service reaches it. */
  connect: () => Transport;
};

const USAGE = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };

/** `play` answers a call; what it rejects with is the call's failure. */
export const playGateway = async (
  play: (call: GatewayCall) => Promise<object>,
): Promise<PlayedGateway> => {
  const calls: GatewayCall[] = [];
  async function* complete(request: CompleteRequest) {
    const call = toCall(request);
    calls.push(call);
    const text = JSON.stringify(await play(call));
    const { proofId } = call;
    const opened = { provider: 'played', model: 'played', status: 200, proofId, neutral: true };
    yield { event: { case: 'opened' as const, value: opened } };
    const part = { part: { case: 'text' as const, value: text } };
    yield { event: { case: 'part' as const, value: part } };
  }
  const service = await startService({
    name: 'llm-gateway',
    config: {},
    create: async () => ({
      implementations: [
        implement(CompletionService, {
          complete: async function* (request) {
            yield* complete(request);
            const value = { proofId: request.proofId, finishReason: 'stop', usage: USAGE };
            yield { event: { case: 'completed' as const, value } };
          },
          completeAs: async function* (messages) {
            const said = messages[Symbol.asyncIterator]();
            const { message } = (await said.next()).value!;
            const request = message.value as CompleteRequest;
            yield* complete(request);
            const ending = { finishReason: 'stop', usage: USAGE };
            yield { event: { case: 'ending' as const, value: ending } };
            await said.next();
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
    connect: () => createInProcessTransport({ caller: 'agents', dispatcher }),
    [Symbol.asyncDispose]: service.stop,
  };
};

const toCall = ({ proofId, purpose, address, input }: CompleteRequest): GatewayCall => {
  const { system, turns, streamed } =
    input.case === 'conversation' ? input.value : { system: [], turns: [], streamed: false };
  const said = turns.flatMap(({ parts }) =>
    parts.map(({ part }) => (part.case === 'text' ? part.value.text : '')),
  );
  const prompt = [...system.map(({ text }) => text), ...said].join('\n\n');
  const { agent: slug = '', sensitive: isSensitive = false } = address ?? {};
  return { proofId, purpose, slug, isSensitive, isStreamed: streamed, prompt };
};
