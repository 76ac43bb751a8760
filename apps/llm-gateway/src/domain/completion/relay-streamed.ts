import { ServiceError } from '@witan/contracts';
import type { ChatRequest } from '@witan/dialects';
import { openedEvent, wireEvent } from './opened-event.ts';
import type { ProviderAnswer } from './ports.ts';
import { answerTooLarge } from './read-body.ts';
import { ANSWER_BYTES_MAX } from './relay-plain.ts';
import { createStreamRelay } from './relay-stream.ts';
import type { StreamRelay } from './relay-stream.ts';
import type { CompletionEvent } from './run-completion.ts';
import { endInFailure, sealAnswer } from './seal-ending.ts';
import type { Run } from './seal-ending.ts';

/**
 * Passes a stream as it comes and keeps its end until the certificate is durable. A stream without
 * its terminal event is never certified as complete (gateway.md rule 7).
 */
export async function* relayStreamed(
  run: Run,
  answer: ProviderAnswer,
  asked: ChatRequest,
): AsyncGenerator<CompletionEvent> {
  const relay = createStreamRelay(asked);
  let opened = false;
  try {
    for await (const bytes of answer.body) {
      const passed = relay.push(bytes);
      if (passed.length > 0) {
        if (!opened) yield openedEvent(run, answer, true);
        opened = true;
        yield wireEvent(passed);
      }
      if (relay.ended) break;
      if (relay.answer.contentBytes > ANSWER_BYTES_MAX) throw answerTooLarge(ANSWER_BYTES_MAX);
    }
    checkEnd(relay, opened);
  } catch (error) {
    throw await endInFailure(run, relay.answer, error);
  }
  const completed = await sealAnswer(run, relay.answer, finishReasonOf(relay));
  if (!opened) yield openedEvent(run, answer, true);
  yield wireEvent(relay.lastBytes);
  yield completed;
}

const checkEnd = (relay: StreamRelay, opened: boolean): void => {
  if (relay.ended === 'done') return;
  // Nothing was delivered yet, so the failure can still have a status of its own.
  if (relay.ended === 'error' && opened) return;
  throw new ServiceError(
    'PROVIDER_STREAM_CUT',
    relay.ended === 'error'
      ? 'The model provider broke its answer off with an error.'
      : 'The model provider broke its answer off.',
  );
};

const finishReasonOf = ({ ended, answer }: StreamRelay) => {
  if (ended === 'error') return 'error' as const;
  return answer.finishReason ?? (answer.choices().length > 0 ? 'stop' : 'error');
};
