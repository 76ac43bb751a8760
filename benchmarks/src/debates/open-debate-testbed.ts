import type { SystemFile } from '@witan/stack';
import { Agent, fetch } from 'undici';
import type { BenchContext } from '../bench.ts';
import { withConnection } from '../database.ts';
import { createApiCall, openWitan } from '../gateway/open-systems.ts';
import type { WitanOptions } from '../gateway/open-systems.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import type { CouncilCommand, CouncilReport } from './council-provider.ts';
import { makePersona } from './council-play.ts';

export type DebateAnswer = { proofs: string[]; usage: { totalTokens: number }; debates: object[] };

/** The processes of the debate benchmark, and functions that call Witan's API. */
export type DebateTestbed = {
  provider: Program<{ url: string }, CouncilCommand, CouncilReport>;
  witan: Awaited<ReturnType<typeof openWitan>>;
  /** Replaces the agents of the workspace by `count` new agents. */
  replaceAgents: (count: number) => Promise<void>;
  /** Calls the API and returns the parsed response. Throws unless the status is 2xx. */
  call: ReturnType<typeof createApiCall>;
  createConversation: () => Promise<string>;
  /** Runs one debate; resolves with its response. */
  runDebate: (conversationId: string, content: string) => Promise<DebateAnswer>;
  /** Sends a request to the completions endpoint; returns the proof id of the response. */
  sendCompletion: (body: string) => Promise<string>;
  /**
   * Returns the proof ids of all framing calls, read from the database because API responses may
   * lack them.
   */
  readFrameProofs: () => Promise<string[]>;
};

/** Longer than any debate of the benchmark. */
const TIMEOUT_MS = 120_000;

/** Starts Witan as `npm start` does, with a durable PostgreSQL and a fake provider for debates. */
export const openDebateTestbed = async (
  { stateDir }: Pick<BenchContext, 'stateDir'>,
  resources: AsyncDisposableStack,
  witanOptions: Pick<WitanOptions, 'profileDir'> = {},
): Promise<DebateTestbed> => {
  const provider: DebateTestbed['provider'] = await openProgram(
    { file: 'debates/council-provider.ts', stateDir },
    resources,
  );
  const providerUrl = provider.ready.url;
  const witan = await openWitan(
    { mode: 'standalone', stateDir, providerUrl, ...witanOptions },
    resources,
  );
  const connections = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  resources.defer(() => connections.destroy());
  const call = createApiCall(witan.file, connections);
  const council: string[] = [];
  return {
    provider,
    witan,
    call,
    replaceAgents: async (count) => {
      for (const id of council.splice(0)) await call('DELETE', `/agents/${id}`);
      for (let index = 1; index <= count; index += 1) {
        type Created = { agent: { id: string } };
        const { agent } = await call<Created>('POST', '/agents', makePersona(index));
        council.push(agent.id);
      }
    },
    createConversation: async () => {
      type Created = { conversation: { id: string } };
      const { conversation } = await call<Created>('POST', '/conversations', { title: 'A shop' });
      return conversation.id;
    },
    runDebate: (id, content) => call('POST', `/conversations/${id}/message`, { content }),
    sendCompletion: (body) => sendCompletion(witan.file, body, connections),
    readFrameProofs: () => readFrameProofs(witan.file.databaseUrl),
  };
};

const sendCompletion = async (
  { baseUrl, apiKey }: SystemFile,
  body: string,
  dispatcher: Agent,
): Promise<string> => {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const options = { method: 'POST', headers, body, dispatcher };
  const answer = await fetch(`${baseUrl}/v1/chat/completions`, options);
  const text = await answer.text();
  const isStreamed = answer.headers.get('content-type')?.startsWith('text/event-stream');
  const isComplete = isStreamed ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}');
  if (answer.ok && isComplete) return answer.headers.get('x-service-proof')!;
  throw new Error(`A completion was answered ${answer.status}: ${text.slice(-500)}`);
};

const readFrameProofs = (databaseUrl: string): Promise<string[]> =>
  withConnection(databaseUrl, async (client) =>
    (await client.query<{ id: string }>(FRAME_PROOFS)).rows.map(({ id }) => id),
  );

const FRAME_PROOFS = `
  SELECT json_array_elements_text(frame->'proofIds') AS id FROM agents.debate`;
