import { expect } from '@jest/globals';
import { answerAsCouncil } from './answer-as-council.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient, RequestOptions } from './http-client.ts';
import type { FixtureOptions } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

export const LIST_PATH = '/v1/conversations';
export const ITEM_PATH = `${LIST_PATH}/{id}`;
export const MESSAGE_PATH = `${ITEM_PATH}/message`;
export const EVENTS_PATH = `${ITEM_PATH}/debates/{debateId}/events`;

export type Message = {
  id: string;
  senderType: 'user' | 'agent' | 'synthesis';
  agentName?: string;
  content: string;
  roundNumber?: number;
  stances?: { issueId: string; stance: number }[];
  keyPoints?: { id: string; text: string }[];
  proofs: string[];
};
export type Round = {
  messageId: string;
  debateId: string;
  roundNumber: number;
  convergenceScore: number;
  blocs: string[][];
};
export type Debate = {
  messages: Message[];
  convergenceScore: number;
  debateId: string;
  debates: Round[];
  synthesis: {
    consensus: { verdict: string; proposition: string }[];
    dissent: { agents: { name: string }[] }[];
  };
  usage: { totalTokens: number };
  proofs: string[];
};
export type Conversation = { id: string; title: string; messages: Message[]; debates: Round[] };

export type Frame = {
  id?: string;
  event: string;
  data: { debateId: string; seq: number; round: number; agentId?: string } & Record<
    string,
    unknown
  >;
};

/** A client with its own workspace and council. */
export type CouncilClient = {
  client: HttpClient;
  workspaceId: string;
  createConversation: (title?: string) => Promise<string>;
  /** Calls an operation with the client's API key; `init` may add headers. */
  call: (operation: string, ids?: Ids, init?: RequestOptions) => Promise<Answer>;
  ask: (id: string, headers?: Record<string, string>, content?: string) => Promise<Answer>;
  /** Starts a debate like `ask`, but resolves as soon as its event stream is open. */
  open: (id: string, init?: RequestOptions) => Promise<Response>;
  read: (id: string) => Promise<Conversation>;
};

type Ids = { id?: string; debateId?: string };

/** A system in which clients hold debates. `answerAsCouncil` answers its model calls. */
export type Conversations = AsyncDisposable & {
  api: DocumentedApi;
  createClient: (personas?: readonly object[], scopes?: string[]) => Promise<CouncilClient>;
};

export const STREAM = { accept: 'text/event-stream' };

/**
 * Opens a system whose provider answers the model calls of debates (see `answerAsCouncil`). Answers
 * of agents wait until the promise of `until` resolves.
 */
export const openConversations = async (
  options: FixtureOptions & { until?: () => Promise<unknown> },
): Promise<Conversations> => {
  const { until, ...fixtureOptions } = options;
  const api = await openDocumentedApi({ fallback: answerAsCouncil(until), ...fixtureOptions });
  return {
    api,
    createClient: async (personas = [], scopes) => {
      const key = await api.keys.makeKey(scopes);
      const client = createHttpClient(key);
      for (const body of personas) {
        expect((await client.send('/v1/agents', { body })).status).toBe(201);
      }
      return { ...createCouncilClient(api, client, key.apiKey), workspaceId: key.workspaceId };
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
};

const createCouncilClient = (api: DocumentedApi, client: HttpClient, apiKey: string) => {
  const withKey = ({ headers, ...init }: RequestOptions = {}): RequestOptions => ({
    ...init,
    headers: { 'x-api-key': apiKey, ...headers },
  });
  const call: CouncilClient['call'] = (operation, ids, init) =>
    api.call(client, operation, ids, withKey(init));
  return {
    client,
    call,
    createConversation: async (title = 'Hiring') => {
      const { status, json } = await call(`POST ${LIST_PATH}`, {}, { body: { title } });
      expect(status).toBe(201);
      return (json as { conversation: { id: string } }).conversation.id;
    },
    ask: (id: string, headers: Record<string, string> = {}, content = 'Shall we hire?') =>
      call(`POST ${MESSAGE_PATH}`, { id }, { headers, body: { content } }),
    open: (id: string, init?: RequestOptions) =>
      client.open(MESSAGE_PATH.replace('{id}', id), withKey(init)),
    read: async (id: string) => {
      const { status, json } = await call(`GET ${ITEM_PATH}`, { id });
      expect(status).toBe(200);
      return (json as { conversation: Conversation }).conversation;
    },
  };
};

export const framesOf = ({ text }: Pick<Answer, 'text'>): Frame[] =>
  text.split('\n\n').flatMap((block): Frame[] => {
    const [, id, event, data] = /^(?:id: (.*)\n)?event: (.*)\ndata: (.*)$/.exec(block) ?? [];
    if (event === undefined) return [];
    return [
      { ...(id === undefined ? {} : { id }), event, data: JSON.parse(data!) as Frame['data'] },
    ];
  });
