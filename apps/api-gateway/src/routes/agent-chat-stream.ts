import { isServiceError } from '@witan/contracts';
import type { ChatEvent, ChatOpened } from '@witan/contracts';
import { toPublicError } from '@witan/service-kit';
import { encodeNativeError } from '../errors/encode-native-error.ts';
import type { RouteCall } from '../http/route.ts';
import { writeChunk } from '../http/write-chunk.ts';
import { nameProof } from './certified-call.ts';
import { encodeAgentChat } from './encode-agent-chat.ts';
import { encodeToolRun } from './encode-tool-run.ts';

export type AgentChatEvents = AsyncIterable<ChatEvent>;

/**
 * Hands a chat on as server-sent events: `tool` and `delta`*, `done`. Nothing is written before the
 * model has begun to answer, so every early failure has its true status; a later one is an `error`,
 * and nothing follows it.
 */
export const streamAgentChat = async (
  events: AgentChatEvents,
  call: RouteCall,
): Promise<undefined> => {
  const { response, signal, requestId } = call;
  let opened: ChatOpened | undefined;
  try {
    for await (const { event } of events) {
      if (event.case === 'opened') {
        opened = event.value;
        openStream(call, opened);
      }
      const room = writeChunk(response, encodeEvent(event, opened!), signal);
      if (room) await room;
    }
    response.end();
  } catch (error) {
    if (!opened) throw error;
    // A client that left reads nothing more.
    if (signal.aborted) return undefined;
    const failure = isServiceError(error) ? error : toPublicError(error);
    response.locals.reason = failure.reason;
    response.end(toFrame('error', encodeNativeError(failure, { requestId }).body));
  }
  return undefined;
};

const openStream = (call: RouteCall, opened: ChatOpened): void => {
  const { response } = call;
  nameProof(call, opened);
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('x-accel-buffering', 'no');
};

/** A comment, which clients pass over: it carries the headers out before the first words. */
const BEGINNING = ':\n\n';

const encodeEvent = (event: ChatEvent['event'], opened: ChatOpened): string => {
  if (event.case === 'opened') return BEGINNING;
  if (event.case === 'delta') return toFrame('delta', { content: event.value });
  if (event.case === 'tool') return toFrame('tool', encodeToolRun(event.value));
  if (event.case !== 'ended') return '';
  const { proofIds: proofs, memoriesOmitted } = event.value;
  return toFrame('done', { ...encodeAgentChat(opened, event.value), proofs, memoriesOmitted });
};

const toFrame = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
