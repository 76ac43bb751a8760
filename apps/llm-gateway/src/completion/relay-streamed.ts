import { ServiceError } from '@witan/contracts';
import { endAnswer } from './end-answer.ts';
import { recordProviderTime, openedEvent } from './opened-event.ts';
import type { ProviderAnswer } from '../provider/provider.ts';
import { answerTooLarge } from '../provider/read-body.ts';
import { ANSWER_BYTES_MAX } from './relay-plain.ts';
import { createStreamRelay } from './relay-stream.ts';
import type { StreamRelay } from './relay-stream.ts';
import type { Attempt } from './attempt.ts';
import type { CompletionEvent } from './completion.ts';
import { endInFailure } from './certify-ending.ts';

/**
 * Relays a stream and buffers its end until the certificate is durable. A stream without its
 * terminal event is never certified as complete.
 */
export async function* relayStreamed(
  attempt: Attempt,
  answer: ProviderAnswer,
): AsyncGenerator<CompletionEvent> {
  const relay = createStreamRelay(attempt);
  try {
    yield* relayBody(attempt, answer, relay);
    checkEnd(relay, attempt);
  } catch (error) {
    // Before the answer is opened, all content is buffered, so the client has received none of it.
    throw await endInFailure(attempt, attempt.isOpened ? relay.delivered : undefined, error);
  }
  yield* endAnswer(attempt, relay.delivered, relay, () => [
    ...(attempt.isOpened ? [] : [openedEvent(attempt, answer, true)]),
    ...relay.lastEvents(),
  ]);
}

async function* relayBody(
  attempt: Attempt,
  answer: ProviderAnswer,
  relay: StreamRelay,
): AsyncGenerator<CompletionEvent> {
  try {
    for await (const bytes of answer.body) {
      for (const event of relay.push(bytes)) {
        if (!attempt.isOpened) {
          recordProviderTime(attempt);
          yield openedEvent(attempt, answer, true);
        }
        yield event;
      }
      if (relay.ended) break;
      if (relay.delivered.contentBytes > ANSWER_BYTES_MAX) throw answerTooLarge(ANSWER_BYTES_MAX);
    }
    relay.finish();
  } finally {
    // If there was no content, the provider's time lasts until the end of the response.
    if (!attempt.isOpened) recordProviderTime(attempt);
  }
}

const checkEnd = (relay: StreamRelay, { isOpened, egress }: Attempt): void => {
  // A translated answer must also have a finish reason; without one it is incomplete.
  if (relay.ended === 'done' && !(egress.isNeutral && relay.finishReason === 'error')) return;
  // If the provider's dialect is the client's, the provider's error frame is relayed as the end.
  if (relay.ended === 'error' && isOpened && !egress.isNeutral) return;
  throw new ServiceError(
    'PROVIDER_STREAM_CUT',
    relay.ended
      ? 'The model provider broke its answer off with an error.'
      : 'The model provider broke its answer off.',
  );
};
