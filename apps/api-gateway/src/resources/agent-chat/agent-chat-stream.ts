import type { ChatEvent, ChatOpened } from '@witan/contracts';
import { encodeNativeError } from '../../http/encode-native-error.ts';
import { COMMENT, setEventStreamHeaders, toEventFrame } from '../../http/event-stream.ts';
import type { RouteCall } from '../../http/route.ts';
import { abortReasonOf, toStreamFailure } from '../../server/watch-key.ts';
import { writeChunk } from '../../http/write-chunk.ts';
import { setProofHeaders } from '../certified-call.ts';
import { encodeAgentChat } from './encode-agent-chat.ts';
import { encodeToolRun } from '../tools/encode-tool-run.ts';

export type AgentChatEvents = AsyncIterable<ChatEvent>;

/**
 * Sends a chat as server-sent events: any number of `tool` and `delta` events, then `done`. Writes
 * nothing before the model has begun to respond, so an earlier failure gets its own HTTP status; a
 * later failure is sent as an `error` event, which ends the stream.
 */
export const streamAgentChat = async (
  events: AgentChatEvents,
  call: RouteCall,
): Promise<undefined> => {
  const { response, signal, requestId } = call;
  let openedEvent: ChatOpened | undefined;
  try {
    for await (const { event } of events) {
      if (event.case === 'opened') {
        openedEvent = event.value;
        setProofHeaders(call, openedEvent);
        setEventStreamHeaders(response);
      }
      const drained = writeChunk(response, encodeEvent(event, openedEvent!), signal);
      if (drained) await drained;
    }
    response.end();
  } catch (error) {
    if (!openedEvent) throw abortReasonOf(signal) ?? error;
    const failure = toStreamFailure(error, signal);
    if (!failure) return undefined;
    response.locals.reason = failure.reason;
    response.end(toEventFrame('error', encodeNativeError(failure, { requestId }).body));
  }
  return undefined;
};

const encodeEvent = (event: ChatEvent['event'], openedEvent: ChatOpened): string => {
  if (event.case === 'opened') return COMMENT;
  if (event.case === 'delta') return toEventFrame('delta', { content: event.value });
  if (event.case === 'tool') return toEventFrame('tool', encodeToolRun(event.value));
  if (event.case !== 'ended') return '';
  const { proofIds: proofs, memoriesOmitted, exchangesSummarized } = event.value;
  const counts = { memoriesOmitted, exchangesSummarized };
  return toEventFrame('done', { ...encodeAgentChat(openedEvent, event.value), proofs, ...counts });
};
