import { respondWith } from './answer-scripts.ts';
import type { DeliveryOptions } from './answer-scripts.ts';
import { toResponse, toResponseEvents } from './response-answer.ts';
import type { ResponseAnswer, ResponseEvent } from './response-answer.ts';
import type { Script } from './script.ts';
import { streamFrames } from './stream-frames.ts';
import type { StreamOptions } from './stream-frames.ts';

/**
 * Returns a script that responds in the responses dialect, in a stream if the request asks for one.
 */
export function answerResponseWith(
  answer: ResponseAnswer = {},
  options: DeliveryOptions & StreamOptions = {},
): Script {
  return async (exchange) => {
    const { model, stream } = (exchange.request.parsed ?? {}) as {
      model?: string;
      stream?: unknown;
    };
    const scripted = { ...(model === undefined ? {} : { model }), ...answer };
    const script =
      stream === true
        ? streamResponseEvents(toResponseEvents(scripted), options)
        : respondWith({ ...options, body: toResponse(scripted) });
    await script(exchange);
  };
}

/** Returns a script that streams events in order, each with its type as name, without `[DONE]`. */
export function streamResponseEvents(
  events: readonly ResponseEvent[],
  options: StreamOptions = {},
): Script {
  const { lineEnd = '\n' } = options;
  const frames = events.map(
    (event) => `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`,
  );
  return streamFrames(frames, { sendDone: false, ...options });
}
