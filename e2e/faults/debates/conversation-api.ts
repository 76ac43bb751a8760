import { openClient } from '../client.ts';
import type { ClientOf, CallResponse } from '../client.ts';

export type ConversationApi = {
  /** Replaces the workspace's agents by agents with these personas; returns the new ids by name. */
  replaceAgents: (personas: readonly object[]) => Promise<Map<string, string>>;
  createConversation: () => Promise<string>;
  /** Holds a debate and resolves with its final response; status 0 if the connection broke. */
  ask: (conversationId: string, content: string) => Promise<CallResponse>;
  read: (conversationId: string) => Promise<{ messages: object[]; debates: object[] }>;
  /** Returns all events of a finished debate, in order. */
  readEvents: (conversationId: string, debateId: string) => Promise<DebateEvent[]>;
  createWebhook: (url: string) => Promise<void>;
};

export type DebateEvent = { event: string; data: Record<string, unknown> };

type Agents = { agents: { id: string; name: string }[] };

/** Client timeout; a debate may have to wait until leases of dead processes expire. */
const TIMEOUT_MS = 240_000;

export const openConversationApi = (system: ClientOf): ConversationApi => {
  const { send, read } = openClient(system, TIMEOUT_MS);
  return {
    replaceAgents: async (personas) => {
      const { agents } = await read<Agents>('GET', '/agents');
      for (const { id } of agents) await read('DELETE', `/agents/${id}`);
      const idsByName = new Map<string, string>();
      for (const persona of personas) {
        const { agent } = await read<{ agent: Agents['agents'][0] }>('POST', '/agents', persona);
        idsByName.set(agent.name, agent.id);
      }
      return idsByName;
    },
    createConversation: async () => {
      const body = { title: 'A second shop' };
      type CreatedConversation = { conversation: { id: string } };
      return (await read<CreatedConversation>('POST', '/conversations', body)).conversation.id;
    },
    ask: (id, content) => send('POST', `/conversations/${id}/message`, { content }),
    read: async (id) => {
      type ConversationResponse = { conversation: { messages: object[]; debates: object[] } };
      return (await read<ConversationResponse>('GET', `/conversations/${id}`)).conversation;
    },
    readEvents: async (id, debateId) => {
      const { text } = await send('GET', `/conversations/${id}/debates/${debateId}/events`);
      return readBlocks(text);
    },
    createWebhook: async (url) => {
      await read('POST', '/webhooks', { url, events: ['debate.synthesized'] });
    },
  };
};

const readBlocks = (text: string): DebateEvent[] =>
  text.split('\n\n').flatMap((block): DebateEvent[] => {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
    return event ? [{ event, data: JSON.parse(data!) as DebateEvent['data'] }] : [];
  });
