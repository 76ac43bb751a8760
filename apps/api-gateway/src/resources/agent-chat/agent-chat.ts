import type { ChatEnded, ChatEvent, ChatOpened } from '@witan/contracts';
import type { ChatService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { encodeAs } from '../../http/encode.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { streamEvents, toEventFrame, wantsEventStream } from '../../server/stream-events.ts';
import {
  CERTIFIED_ERRORS,
  CERTIFIED_HEADERS,
  encodeTokenUsage,
  openProof,
  setProofHeaders,
  setProofsHeader,
} from '../certified-call.ts';
import { nativeRoutes } from '../native-routes.ts';
import { encodeToolRun } from '../tools/tools.ts';
import { readAgentChatRequest } from './agent-chat-request.ts';
import { AGENT_CHAT, AGENT_CHAT_RESPONSE } from './agent-chat-schema.ts';

const { handled } = nativeRoutes('Agents', 'agents');

export const agentChatRoute = (chats: Client<typeof ChatService>, timeoutMs: number): Route =>
  handled('post', '/v1/agents/{id}/chat', {
    id: 'chatWithAgent',
    summary: 'Talk to one agent; with Accept: text/event-stream its answer comes in pieces',
    body: AGENT_CHAT,
    idempotent: true,
    wantsStream: wantsEventStream,
    limitsStreams: true,
    responses: {
      200: {
        description:
          'The answer. `x-service-proofs` lists the certificates of all model calls of the turn, ' +
          '`x-service-memories-omitted` says how many memories did not fit into the prompt, and ' +
          '`x-service-exchanges-summarized` how many older exchanges did not: it held a summary. ' +
          '`x-service-dropped-params` names parameters that the model does not take, if any. ' +
          'Streamed: `tool` for each tool that was called, as in toolCalls, `delta` {content} ' +
          'for each piece, then `done` with this answer and `proofs`, `memoriesOmitted` and ' +
          '`exchangesSummarized` beside it, or `error` as errors are answered elsewhere.',
        schema: AGENT_CHAT_RESPONSE,
        streamedAs: 'text/event-stream',
        headers: CERTIFIED_HEADERS,
      },
    },
    errors: {
      ...CERTIFIED_ERRORS,
      404: 'No such agent in this workspace, or session of this agent',
      409:
        'The session is full (session_full), or was held on the machine, which its agent has ' +
        'left (session_closed): begin a new one',
    },
    handle: async ({ call, options }) => {
      const request = readAgentChatRequest(call, openProof(call));
      const streamed = wantsEventStream(call);
      const events = requireEnded(chats.chat({ ...request, streamed }, { ...options, timeoutMs }));
      return streamed ? await streamAgentChat(events, call) : await collectChat(events, call);
    },
  });

async function* requireEnded(events: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent> {
  let isEnded = false;
  for await (const event of events) {
    isEnded = event.event.case === 'ended';
    yield event;
  }
  if (!isEnded) throw new Error('The stream of a chat ended without its final event');
}

/**
 * Sends a chat as server-sent events: any number of `tool` and `delta` events, then `done`, or
 * `error` if the chat fails. Writes nothing before the model has begun to respond, so that the
 * headers can name the certificate.
 */
const streamAgentChat = async (
  events: AsyncIterable<ChatEvent>,
  call: RouteCall,
): Promise<undefined> => {
  let openedEvent: ChatOpened | undefined;
  const encode = ({ event }: ChatEvent): string => {
    if (event.case === 'delta') return toEventFrame('delta', { content: event.value });
    if (event.case === 'tool') return toEventFrame('tool', encodeToolRun(event.value));
    if (event.case !== 'ended') return '';
    const { proofIds: proofs, memoriesOmitted, exchangesSummarized } = event.value;
    const counts = { memoriesOmitted, exchangesSummarized };
    const chat = encodeAgentChat(openedEvent!, event.value);
    return toEventFrame('done', { ...chat, proofs, ...counts });
  };
  const onOpen = ({ event }: ChatEvent): void => {
    if (event.case !== 'opened') return;
    openedEvent = event.value;
    setProofHeaders(call, openedEvent);
  };
  await streamEvents(events, call, encode, { onOpen });
  return undefined;
};

const collectChat = async (events: AsyncIterable<ChatEvent>, call: RouteCall): Promise<Reply> => {
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

const encodeAgentChat = (openedEvent: ChatOpened, endedEvent: ChatEnded) =>
  encodeAs(
    AGENT_CHAT_RESPONSE,
    { ...openedEvent, ...endedEvent },
    {
      contentParsed:
        endedEvent.contentJson === '' ? null : (JSON.parse(endedEvent.contentJson) as object),
      thoughts: endedEvent.thoughts,
      tokenUsage: encodeTokenUsage(endedEvent.usage),
      toolCalls: endedEvent.toolCalls.map(encodeToolRun),
    },
  );
