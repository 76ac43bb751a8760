import type { DebateEvent } from '@witan/contracts';
import type { ConversationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import { ValidationError } from '../../http/validation-error.ts';
import { toEventFrame } from '../../http/event-stream.ts';
import { STREAM } from '../../http/route.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { streamEvents, wantsEventStream } from '../../server/stream-events.ts';
import { CERTIFIED_ERRORS, openProof } from '../certified-call.ts';
import { DEBATE_RESPONSE, NEW_MESSAGE } from './conversation-schema.ts';
import { encodeDebateDone, encodeDebateEvent, toFailure } from './encode-debate-event.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { RETRY_AFTER } from '../../errors/default-responses.ts';
import { LAST_EVENT_ID_HEADER, readLastEventId, toEventId } from './read-last-event-id.ts';
import type { DebatePosition } from './read-last-event-id.ts';
import { followAcrossReplicas } from './follow-across-replicas.ts';
import { CONVERSATION_ID, DEBATE_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';

type Conversations = Client<typeof ConversationService>;
type DebateCall = { conversations: Conversations; timeoutMs: number; streamed: boolean };

const shared = { surface: 'native', tag: 'Conversations' } as const;

const EVENTS =
  '`debate.started` {conversationId, message, agents}, `frame` {issues}, for each round ' +
  '`round.started`, `agent.delta` {content}, `agent.completed` {message} or `agent.failed` ' +
  '{agentName, reason} for each agent, and `round.completed` with the items of debates[]; then ' +
  '`synthesis.delta` {content}, `synthesis.completed` {message, synthesis}, and `done` with the ' +
  'whole answer, or `error` as errors are answered elsewhere. Each has {debateId, seq, round}, ' +
  "agents' {agentId}, and the id `<debateId>:<seq>`.";

export const conversationMessageRoute = (
  conversations: Conversations,
  timeoutMs: number,
): Route => ({
  ...shared,
  id: 'holdDebate',
  method: 'post',
  path: '/v1/conversations/{id}/message',
  summary: 'Have the council debate a message; with Accept: text/event-stream as it happens',
  headers: LAST_EVENT_ID_HEADER,
  scopes: ['conversations'],
  body: NEW_MESSAGE,
  idempotent: true,
  wantsStream: wantsEventStream,
  responses: {
    200: {
      description:
        "The user's message, the agents' round by round, the synthesis; convergenceScore is that " +
        'of the last round. A client that leaves does not end the debate: with Last-Event-ID it ' +
        `goes on reading where it was. Streamed: ${EVENTS}`,
      schema: DEBATE_RESPONSE,
      streamedAs: 'text/event-stream',
    },
    204: { description: 'Streamed: nothing came after Last-Event-ID, and nothing will' },
    ...CERTIFIED_ERRORS,
    400: DOCUMENTED_ERROR.native('The body is not valid, or Last-Event-ID is the id of no event'),
    404: DOCUMENTED_ERROR.native(
      'No such conversation in this workspace, or no such debate in this conversation',
    ),
    409: DOCUMENTED_ERROR.native(
      'The workspace has no agents (no_agents) or more than a debate may have (too_many_agents), ' +
        'another message of the conversation is being debated (debate_running), as much was said ' +
        'in it as it keeps (conversation_full), or a call with this Idempotency-Key runs or lost ' +
        'its answer',
    ),
    429: {
      ...DOCUMENTED_ERROR.native('Too many calls with this key, or debates of the workspace run'),
      headers: RETRY_AFTER,
    },
    502: DOCUMENTED_ERROR.native(
      'Too few agents answered (debate_failed): what was said is kept, nothing is synthesised',
    ),
  },
  handle: async (call) => {
    const debateCall = { conversations, timeoutMs, streamed: wantsEventStream(call) };
    const events = openDebate(call, debateCall);
    return debateCall.streamed ? await streamDebate(events, call) : await collectDebate(events);
  },
});

/**
 * Returns the route that streams the events of a debate. It is a GET, because EventSource cannot
 * send a POST.
 */
export const debateEventsRoute = (conversations: Conversations, timeoutMs: number): Route => ({
  ...shared,
  id: 'followDebate',
  method: 'get',
  path: '/v1/conversations/{id}/debates/{debateId}/events',
  summary: 'Follow a debate from its beginning, or from Last-Event-ID',
  headers: LAST_EVENT_ID_HEADER,
  scopes: ['conversations', 'conversations:read'],
  wantsStream: () => true,
  responses: {
    200: {
      description: `${EVENTS} Pieces that were told before are not told again.`,
      contentType: 'text/event-stream',
      schema: STREAM,
    },
    204: { description: 'Nothing came after Last-Event-ID, and nothing will' },
    400: DOCUMENTED_ERROR.native('Last-Event-ID is the id of no event'),
    404: DOCUMENTED_ERROR.native('No such debate in this conversation of this workspace'),
  },
  handle: async (call) => {
    const debateId = DEBATE_ID.read(call.params.debateId);
    const position = readLastEventId(call) ?? { debateId, afterSeq: 0 };
    if (position.debateId !== debateId) throw wrongDebate();
    const debateCall = { conversations, timeoutMs, streamed: true };
    return await streamDebate(followFrom(position, call, debateCall), call);
  },
});

const wrongDebate = (): ValidationError =>
  new ValidationError([{ path: 'Last-Event-ID', message: 'is of another debate' }]);

const openDebate = (call: RouteCall, debateCall: DebateCall): AsyncIterable<DebateEvent> => {
  const conversationId = CONVERSATION_ID.read(call.params.id);
  const position = readLastEventId(call);
  // Without streaming, only the last event is needed, because it contains the whole result. The
  // debate is followed from its start, so that this event is received whatever position the client
  // sent.
  if (position) {
    return followFrom(
      debateCall.streamed ? position : { ...position, afterSeq: 0 },
      call,
      debateCall,
    );
  }
  const { content } = call.body as Static<typeof NEW_MESSAGE>;
  if (content === undefined) {
    throw new ValidationError([{ path: 'content', message: 'is required' }]);
  }
  const { conversations, streamed } = debateCall;
  const request = { conversationId, content, streamed, ...openProof(call) };
  const first = conversations.holdDebate(request, {
    ...optionsOf(call),
    timeoutMs: debateCall.timeoutMs,
  });
  return followAcrossReplicas(first, (at) => follow(at, call, debateCall), call.signal);
};

const followFrom = (
  position: DebatePosition,
  call: RouteCall,
  debateCall: DebateCall,
): AsyncIterable<DebateEvent> =>
  followAcrossReplicas(
    follow(position, call, debateCall),
    (at) => follow(at, call, debateCall),
    call.signal,
  );

const follow = (
  position: DebatePosition,
  call: RouteCall,
  debateCall: DebateCall,
): AsyncIterable<DebateEvent> => {
  const { conversations, streamed } = debateCall;
  const conversationId = CONVERSATION_ID.read(call.params.id);
  return conversations.followDebate(
    { conversationId, ...position, streamed },
    { ...optionsOf(call), timeoutMs: debateCall.timeoutMs },
  );
};

const collectDebate = async (events: AsyncIterable<DebateEvent>): Promise<Reply> => {
  let last: DebateEvent | undefined;
  for await (const event of events) last = event;
  if (last?.event.case === 'failed') throw toFailure(last.event.value);
  if (last?.event.case !== 'done')
    throw new Error('The stream of a debate ended without its final event');
  return { status: 200, json: encodeDebateDone(last.debateId, last.event.value) };
};

/**
 * Streams the events of a debate. Returns 204 if there are no more events, because EventSource does
 * not reconnect after a 204.
 */
const streamDebate = async (
  events: AsyncIterable<DebateEvent>,
  call: RouteCall,
): Promise<Reply | undefined> => {
  const hasEvents = await streamEvents(events, call, (event) => {
    const encoded = encodeDebateEvent(event, call);
    return encoded ? toEventFrame(encoded.name, encoded.data, toEventId(event)) : '';
  });
  return hasEvents ? undefined : { status: 204 };
};
