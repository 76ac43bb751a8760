import type { DebateEvent } from '@witan/contracts';
import type { ConversationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { ValidationError } from '../../http/encode-native-error.ts';
import { STREAM } from '../../http/route.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { streamEvents, toEventFrame, wantsEventStream } from '../../server/stream-events.ts';
import { CERTIFIED_ERRORS, openProof } from '../certified-call.ts';
import { DEBATE_RESPONSE, NEW_MESSAGE } from './conversation-schema.ts';
import { encodeDebateDone, encodeDebateEvent, toFailure } from './encode-debate-event.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { RETRY_AFTER } from '../../errors/default-responses.ts';
import { followAcrossReplicas } from '../follow-across-replicas.ts';
import {
  isLastEvent,
  LAST_EVENT_ID_HEADER,
  readLastEventId,
  toEventId,
} from './debate-position.ts';
import type { DebatePosition } from './debate-position.ts';
import { CONVERSATION_ID, DEBATE_ID } from '../resource-id.ts';
import { nativeRoutes } from '../native-routes.ts';
import type { NativeCall } from '../native-routes.ts';

type Conversations = Client<typeof ConversationService>;
type Input = Pick<
  NativeCall<typeof NEW_MESSAGE, { id: typeof CONVERSATION_ID }>,
  'call' | 'ids' | 'body' | 'options'
>;
type DebateCall = Input & { conversations: Conversations; streamed: boolean };

const { handled } = nativeRoutes('Conversations', 'conversations');

const EVENTS =
  '`debate.started` {conversationId, message, agents}, `frame` {issues}, for each round ' +
  '`round.started`, `agent.delta` {content}, `agent.completed` {message} or `agent.failed` ' +
  '{agentName, reason} for each agent, and `round.completed` with the items of debates[]; then ' +
  '`synthesis.delta` {content}, `synthesis.completed` {message, synthesis}, and `done` with the ' +
  'whole answer, or `error` as errors are answered elsewhere. Each has {debateId, seq, round}, ' +
  "agents' {agentId}, and the id `<debateId>:<seq>`.";

export const conversationMessageRoute = (conversations: Conversations, timeoutMs: number): Route =>
  handled('post', '/v1/conversations/{id}/message', {
    id: 'holdDebate',
    summary: 'Have the council debate a message; with Accept: text/event-stream as it happens',
    headers: LAST_EVENT_ID_HEADER,
    ids: { id: CONVERSATION_ID },
    body: NEW_MESSAGE,
    idempotent: true,
    wantsStream: wantsEventStream,
    limitsStreams: true,
    responses: {
      200: {
        description:
          "The user's message, the agents' round by round, the synthesis; convergenceScore is " +
          'that of the last round. A client that leaves does not end the debate: with ' +
          `Last-Event-ID it goes on reading where it was. Streamed: ${EVENTS}`,
        schema: DEBATE_RESPONSE,
        streamedAs: 'text/event-stream',
      },
      204: { description: 'Streamed: nothing came after Last-Event-ID, and nothing will' },
      ...CERTIFIED_ERRORS,
    },
    errors: {
      400: 'The body is not valid, or Last-Event-ID is the id of no event',
      404: 'No such conversation in this workspace, or no such debate in this conversation',
      409:
        'The workspace has no agents (no_agents) or more than a debate may have ' +
        '(too_many_agents), another message of the conversation is being debated ' +
        '(debate_running), as much was said in it as it keeps (conversation_full), or a call ' +
        'with this Idempotency-Key runs or lost its answer',
      429: {
        ...DOCUMENTED_ERROR.native('Too many calls with this key, or debates of the workspace run'),
        headers: RETRY_AFTER,
      },
      502: 'Too few agents answered (debate_failed): what was said is kept, nothing is synthesised',
    },
    handle: async ({ options, ...input }) => {
      const streamed = wantsEventStream(input.call);
      const debateCall = { ...input, conversations, streamed, options: { ...options, timeoutMs } };
      const events = openDebate(debateCall);
      return streamed ? await streamDebate(events, input.call) : await collectDebate(events);
    },
  });

/**
 * Returns the route that streams the events of a debate. It is a GET, because EventSource cannot
 * send a POST.
 */
export const debateEventsRoute = (conversations: Conversations, timeoutMs: number): Route =>
  handled('get', '/v1/conversations/{id}/debates/{debateId}/events', {
    id: 'followDebate',
    summary: 'Follow a debate from its beginning, or from Last-Event-ID',
    headers: LAST_EVENT_ID_HEADER,
    ids: { id: CONVERSATION_ID, debateId: DEBATE_ID },
    wantsStream: () => true,
    limitsStreams: true,
    responses: {
      200: {
        description: `${EVENTS} Pieces that were told before are not told again.`,
        contentType: 'text/event-stream',
        schema: STREAM,
      },
      204: { description: 'Nothing came after Last-Event-ID, and nothing will' },
    },
    errors: {
      400: 'Last-Event-ID is the id of no event',
      404: 'No such debate in this conversation of this workspace',
    },
    handle: async ({ call, ids, options }) => {
      const { debateId } = ids;
      const position = readLastEventId(call) ?? { debateId, afterSeq: 0 };
      if (position.debateId !== debateId) throw wrongDebate();
      const debateOptions = { ...options, timeoutMs };
      const debateCall = {
        call,
        ids,
        body: {},
        options: debateOptions,
        conversations,
        streamed: true,
      };
      return await streamDebate(followFrom(position, debateCall), call);
    },
  });

const wrongDebate = (): ValidationError =>
  new ValidationError([{ path: 'Last-Event-ID', message: 'is of another debate' }]);

const openDebate = (debateCall: DebateCall): AsyncIterable<DebateEvent> => {
  const { call, ids, body, options, conversations, streamed } = debateCall;
  const position = readLastEventId(call);
  // Without streaming, only the last event is needed, because it contains the whole result. The
  // debate is followed from its start, so that this event is received whatever position the client
  // sent.
  if (position) return followFrom(streamed ? position : { ...position, afterSeq: 0 }, debateCall);
  const { content } = body;
  if (content === undefined) {
    throw new ValidationError([{ path: 'content', message: 'is required' }]);
  }
  const request = { conversationId: ids.id, content, streamed, ...openProof(call) };
  const first = conversations.holdDebate(request, options);
  return continueAcrossReplicas(first, debateCall);
};

const followFrom = (position: DebatePosition, debateCall: DebateCall): AsyncIterable<DebateEvent> =>
  continueAcrossReplicas(follow(position, debateCall), debateCall);

const continueAcrossReplicas = (
  first: AsyncIterable<DebateEvent>,
  debateCall: DebateCall,
): AsyncIterable<DebateEvent> =>
  followAcrossReplicas(
    first,
    ({ debateId, seq: afterSeq }) => follow({ debateId, afterSeq }, debateCall),
    { signal: debateCall.call.signal, isLast: isLastEvent },
  );

const follow = (
  position: DebatePosition,
  { conversations, ids, streamed, options }: DebateCall,
): AsyncIterable<DebateEvent> =>
  conversations.followDebate({ conversationId: ids.id, ...position, streamed }, options);

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
