import { ServiceError } from '@witan/contracts';
import { answerTooLarge } from '../../provider/read-body.ts';
import type { AnsweredAttempt, BrokenAttempt, SentAttempt } from '../attempt.ts';
import type { CompletionEvent } from '../completion.ts';
import { toAnswered, toBroken } from './end-relay.ts';
import { openedEvent, providerMsOf } from './opened-event.ts';
import { ANSWER_BYTES_MAX } from './relay-plain.ts';
import { createStreamRelay } from './stream-relay.ts';
import type { StreamRelay } from './stream-relay.ts';

/**
 * Relays a stream; its end is returned, because it must wait for the certificate. The first event
 * is `opened`, once there is content: before it, everything is buffered, so that the client has
 * received nothing. A stream without its terminal event is never returned as answered.
 */
export async function* relayStreamed(
  sent: SentAttempt,
): AsyncGenerator<CompletionEvent, AnsweredAttempt | BrokenAttempt> {
  const relay = createStreamRelay(sent.form);
  let openedMs: number | undefined;
  try {
    for await (const bytes of sent.answer.body) {
      for (const event of relay.push(bytes)) {
        if (openedMs === undefined) {
          openedMs = providerMsOf(sent);
          yield openedEvent(sent, { streamed: true, providerMs: openedMs });
        }
        yield event;
      }
      if (relay.ended) break;
      if (relay.delivered.contentBytes > ANSWER_BYTES_MAX) throw answerTooLarge(ANSWER_BYTES_MAX);
    }
    relay.finish();
    if (!isComplete(relay, sent, openedMs !== undefined)) throw brokenOff(relay);
  } catch (error) {
    return openedMs === undefined
      ? toBroken(sent, { error, providerMs: providerMsOf(sent) })
      : toBroken(sent, { error, providerMs: openedMs, delivered: relay.delivered });
  }
  const { delivered, finishReason, stopSequence } = relay;
  const opened = { streamed: true, providerMs: providerMsOf(sent) };
  const first = openedMs === undefined ? [openedEvent(sent, opened)] : [];
  const last = [...first, ...relay.lastEvents()];
  return toAnswered(sent, delivered, { finishReason, stopSequence, last });
}

const isComplete = (relay: StreamRelay, { form }: SentAttempt, isOpened: boolean): boolean => {
  // A translated answer must also have a finish reason; without one it is incomplete.
  if (relay.ended === 'done') return !form.isNeutral || relay.finishReason !== 'error';
  // If the provider's dialect is the client's, the provider's error frame is relayed as the end.
  return relay.ended === 'error' && isOpened && !form.isNeutral;
};

const brokenOff = ({ ended }: StreamRelay): ServiceError =>
  new ServiceError(
    'PROVIDER_STREAM_CUT',
    ended
      ? 'The model provider broke its answer off with an error.'
      : 'The model provider broke its answer off.',
  );
