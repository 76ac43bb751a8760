import type { ChatEnded, ChatOpened } from '@witan/contracts';
import type { ChatService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { readAgentChatRequest } from './agent-chat-request.ts';
import { AGENT_CHAT, AGENT_CHAT_RESPONSE } from './agent-chat-schema.ts';
import { streamAgentChat } from './agent-chat-stream.ts';
import type { AgentChatEvents } from './agent-chat-stream.ts';
import {
  CERTIFIED_ERRORS,
  CERTIFIED_HEADERS,
  setProofHeaders,
  setProofsHeader,
  openProof,
} from '../certified-call.ts';
import { encodeAgentChat } from './encode-agent-chat.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';

type Chats = Client<typeof ChatService>;

const ACCEPTED_MEDIA_TYPES = ['application/json', 'text/event-stream'];

/**
 * Returns whether the client prefers server-sent events to JSON. If both are equally acceptable,
 * the type listed first in `Accept` decides; a wildcard gets JSON.
 */
const wantsStream = ({ request }: RouteCall): boolean =>
  request.accepts(ACCEPTED_MEDIA_TYPES) === ACCEPTED_MEDIA_TYPES[1];

export const agentChatRoute = (chats: Chats, timeoutMs: number): Route => ({
  id: 'chatWithAgent',
  method: 'post',
  path: '/v1/agents/{id}/chat',
  surface: 'native',
  summary: 'Talk to one agent; with Accept: text/event-stream its answer comes in pieces',
  tag: 'Agents',
  scopes: ['agents'],
  body: AGENT_CHAT,
  idempotent: true,
  wantsStream,
  responses: {
    200: {
      description:
        'The answer. `x-service-proofs` lists the certificates of all model calls of the turn, ' +
        '`x-service-memories-omitted` says how many memories did not fit into the prompt, and ' +
        '`x-service-exchanges-summarized` how many older exchanges did not: it held a summary. ' +
        '`x-service-dropped-params` names parameters that the model does not take, if any. ' +
        'Streamed: `tool` for each tool that was called, as in toolCalls, `delta` {content} for ' +
        'each piece, then `done` with this answer and `proofs`, `memoriesOmitted` and ' +
        '`exchangesSummarized` beside it, or `error` as errors are answered elsewhere.',
      schema: AGENT_CHAT_RESPONSE,
      streamedAs: 'text/event-stream',
      headers: CERTIFIED_HEADERS,
    },
    ...CERTIFIED_ERRORS,
    404: DOCUMENTED_ERROR.native('No such agent in this workspace, or session of this agent'),
    409: DOCUMENTED_ERROR.native(
      'The session is full (session_full), or was held on the machine, which its agent has left ' +
        '(session_closed): begin a new one',
    ),
  },
  handle: async (call) => {
    const request = readAgentChatRequest(call, openProof(call));
    const streamed = wantsStream(call);
    const options = { ...optionsOf(call), timeoutMs };
    const events = chats.chat({ ...request, streamed }, options);
    return streamed ? await streamAgentChat(events, call) : await collectChat(events, call);
  },
});

const collectChat = async (events: AgentChatEvents, call: RouteCall): Promise<Reply> => {
  let openedEvent: ChatOpened | undefined;
  let endedEvent: ChatEnded | undefined;
  for await (const { event } of events) {
    if (event.case === 'opened') {
      openedEvent = event.value;
      setProofHeaders(call, openedEvent);
    } else if (event.case === 'ended') {
      endedEvent = event.value;
    }
  }
  setProofsHeader(call, endedEvent!.proofIds);
  const headers = {
    'x-service-memories-omitted': String(endedEvent!.memoriesOmitted),
    'x-service-exchanges-summarized': String(endedEvent!.exchangesSummarized),
  };
  return { status: 200, json: encodeAgentChat(openedEvent!, endedEvent!), headers };
};
