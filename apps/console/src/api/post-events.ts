import { ApiError } from './api-error.ts';
import { readEvents } from './read-events.ts';

export type AnswerEvent = { event: string; content: unknown };

type EventsCall = {
  body: unknown;
  signal: AbortSignal;
  /** Name of the event that completes the answer. */
  last: string;
  /** How often in a row a lost connection is opened again; 0 for a call that must not repeat. */
  reconnectsMax?: number;
};

/** Status of an error that is sent after the response began; its body names the reason. */
const STREAM_FAILED = 500;

/**
 * Sends a POST whose response is a stream of events, and yields each event with its data, up to the
 * one named `last`.
 * Throws ApiError if the server refuses the call or reports its failure, and TypeError if the
 * connection is lost.
 */
export async function* postEvents(
  path: string,
  { last, ...call }: EventsCall,
): AsyncGenerator<AnswerEvent> {
  const isLast = ({ event }: { event: string }): boolean => event === last || event === 'error';
  for await (const { event, data } of readEvents(path, { ...call, method: 'POST', isLast })) {
    const content: unknown = JSON.parse(data);
    if (event === 'error') throw new ApiError(STREAM_FAILED, content);
    yield { event, content };
  }
}
