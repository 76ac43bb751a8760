import type { SystemFile } from '@witan/stack';

/** What a client got for its message. */
export type ClientAnswer = { status: number; text: string };

/** Conversations through the public API, as a client uses it. */
export type ConversationApi = {
  /** The workspace's council becomes these, whoever was in it before; answers ids by name. */
  convene: (personas: readonly object[]) => Promise<Map<string, string>>;
  begin: () => Promise<string>;
  /** Resolves when the debate ended; status 0: the connection broke. */
  ask: (conversationId: string, content: string) => Promise<ClientAnswer>;
  read: (conversationId: string) => Promise<{ messages: object[]; debates: object[] }>;
  /** All events of a debate that has ended, in order. */
  readEvents: (conversationId: string, debateId: string) => Promise<ToldEvent[]>;
  createWebhook: (url: string) => Promise<void>;
};

export type ToldEvent = { event: string; data: Record<string, unknown> };

type Agents = { agents: { id: string; name: string }[] };

/** For the workspace of the key. */
export const openConversationApi = ({
  baseUrl,
  apiKey,
}: Pick<SystemFile, 'baseUrl' | 'apiKey'>): ConversationApi => {
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${baseUrl}/v1${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await send(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /v1${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  };
  return {
    convene: async (personas) => {
      const { agents } = await call<Agents>('GET', '/agents');
      for (const { id } of agents) await call('DELETE', `/agents/${id}`);
      const made = new Map<string, string>();
      for (const persona of personas) {
        const { agent } = await call<{ agent: Agents['agents'][0] }>('POST', '/agents', persona);
        made.set(agent.name, agent.id);
      }
      return made;
    },
    begin: async () => {
      const body = { title: 'A second shop' };
      type Made = { conversation: { id: string } };
      return (await call<Made>('POST', '/conversations', body)).conversation.id;
    },
    ask: async (id, content) => {
      try {
        const response = await send('POST', `/conversations/${id}/message`, { content });
        return { status: response.status, text: await response.text() };
      } catch (error) {
        return { status: 0, text: String(error) };
      }
    },
    read: async (id) => {
      type Whole = { conversation: { messages: object[]; debates: object[] } };
      return (await call<Whole>('GET', `/conversations/${id}`)).conversation;
    },
    readEvents: async (id, debateId) => {
      const response = await send('GET', `/conversations/${id}/debates/${debateId}/events`);
      return readBlocks(await response.text());
    },
    createWebhook: async (url) => {
      await call('POST', '/webhooks', { url, events: ['debate.synthesized'] });
    },
  };
};

const readBlocks = (text: string): ToldEvent[] =>
  text.split('\n\n').flatMap((block): ToldEvent[] => {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
    return event ? [{ event, data: JSON.parse(data!) as ToldEvent['data'] }] : [];
  });
