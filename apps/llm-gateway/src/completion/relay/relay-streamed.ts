import { ServiceError } from '@witan/contracts';
import { createTemplateParser, ENDPOINTS } from '@witan/dialects';
import type { Endpoint, Frame } from '@witan/dialects';
import { AMBIGUOUS_FRAME, createSseSplitter } from '@witan/proof';
import type { AnswerGatherer, FinishReason, SseFrame } from '@witan/proof';
import { createFrameRestorer } from '../../masking/restore-frames.ts';
import type { ReadFrame } from '../../masking/restore-frames.ts';
import { createRestoreContext } from '../../masking/restore-text.ts';
import { answerTooLarge } from '../../provider/provider.ts';
import type { AnswerForm, AnsweredAttempt, BrokenAttempt, SentAttempt } from '../attempt.ts';
import type { CompletionEvent } from '../completion.ts';
import { toAnswered, toBroken, openedEvent, providerMsOf } from './end-relay.ts';
import type { Delivered } from './end-relay.ts';
import { createPassThrough, createTranslation } from './frame-handlers.ts';
import { ANSWER_BYTES_MAX } from './relay-plain.ts';
import { contradictoryAnswer, parseAnswer } from './restore-body.ts';

/**
 * Relays a stream; its end is returned, because it must wait for the certificate. The first event
 * is `opened`. It is sent once there is content, or once too much is buffered; until then the
 * client has received nothing. A stream without its terminal event is never returned as answered.
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
      if (relay.ended || relay.contradiction !== undefined) break;
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
  if (relay.contradiction !== undefined) return false;
  // A translated answer must also have a finish reason; without one it is incomplete.
  if (relay.ended === 'done') return !form.isNeutral || relay.finishReason !== 'error';
  // If the dialects are the same, an error frame after content is relayed as the end of the stream.
  return relay.ended === 'error' && isOpened && !form.isNeutral;
};

const brokenOff = ({ ended, contradiction }: StreamRelay): ServiceError =>
  contradiction === undefined
    ? new ServiceError(
        'PROVIDER_STREAM_CUT',
        ended === 'error'
          ? 'The model provider broke its answer off with an error.'
          : 'The model provider broke its answer off.',
      )
    : contradictoryAnswer(contradiction);

export type StreamRelay = {
  /** Takes bytes of the provider and returns the events that the client may receive now. */
  push: (bytes: Uint8Array) => CompletionEvent[];
  /**
   * Ends the input. Completes a terminal frame without its blank line, which some providers omit.
   */
  finish: () => void;
  readonly ended: 'done' | 'error' | 'cut' | undefined;
  /** Says which frame contradicts the answer so far; neither it nor a later one is passed on. */
  readonly contradiction: string | undefined;
  readonly delivered: Delivered;
  readonly finishReason: FinishReason;
  readonly stopSequence: string;
  /** Returns the events that `push` has not returned; called when the stream has ended. */
  lastEvents: () => CompletionEvent[];
};

/**
 * Creates a relay that passes frames on, with masked values restored, if the provider's dialect is
 * the client's, and otherwise decodes them to neutral pieces.
 */
export const createStreamRelay = (form: AnswerForm): StreamRelay => {
  const dialect = ENDPOINTS[form.dialect];
  const splitter = createSseSplitter();
  const readNormalized = createFrameReader(dialect, (contradiction) => {
    refused ??= contradiction;
  });
  const answerGatherer = dialect.createAnswer();
  const restoreContext = form.restorer && createRestoreContext(form.restorer, form.wantsJson);
  const { handler, delivered } = form.isNeutral
    ? createTranslation(form, answerGatherer, restoreContext)
    : { handler: createPassThrough(form), delivered: answerGatherer };
  const restorer =
    restoreContext && !form.isNeutral
      ? createFrameRestorer({ ...restoreContext, dialect })
      : undefined;
  let ended: StreamRelay['ended'];
  /** Says why a frame was refused before it was read. */
  let refused: string | undefined;
  const findContradiction = () => refused ?? answerGatherer.contradiction;
  const readFrame = (received: SseFrame): void => {
    if (ended || findContradiction() !== undefined) return;
    if (received.isAmbiguous) refused = AMBIGUOUS_FRAME;
    const read = received.isAmbiguous ? undefined : readNormalized(received);
    if (!read || refused !== undefined) return;
    const { kind, frame, value } = read;
    if (kind === 'done' || kind === 'error' || kind === 'cut') ended = kind;
    // A frame that only ends the stream must not reach the client, because its answer is cut off.
    if (kind === 'cut') return;
    const name = received.event;
    if (!restorer) forwardFrame(kind, { frame, value }, name);
    else {
      const frames = restorer.take({ frame, value }, kind);
      // Frames inserted before this one carry text that the restorer had buffered.
      for (const one of frames.slice(0, -1)) forwardFrame('content', one, name && typeOf(one));
      const last = frames.at(-1)!;
      // A frame whose text is entirely buffered must not open the answer, so its kind is read
      // again.
      const isUnchanged = last.value === value || !last.value;
      forwardFrame(isUnchanged ? kind : dialect.readFrame(last.frame.data).kind, last, name);
    }
  };
  const forwardFrame = (kind: Frame['kind'], { frame, value }: ReadFrame, name?: string): void => {
    if (value) answerGatherer.chunk(value, name);
    if (answerGatherer.contradiction !== undefined) return;
    handler.handleFrame(kind, frame, value);
  };
  return {
    push: (bytes) => {
      for (const frame of splitter.push(bytes)) readFrame(frame);
      return handler.flush();
    },
    finish: () => {
      const rest = ended ? undefined : splitter.end();
      if (rest && dialect.readFrame(rest.data).kind === 'done') {
        readFrame({ ...rest, bytes: Buffer.concat([rest.bytes, FRAME_END]) });
      }
    },
    delivered,
    lastEvents: handler.lastEvents,
    get ended() {
      return ended;
    },
    get contradiction() {
      return findContradiction();
    },
    get finishReason() {
      return ended === 'error' ? 'error' : finishReasonOf(form, answerGatherer);
    },
    get stopSequence() {
      return handler.stopSequence;
    },
  };
};

/** Returns the type of an inserted frame, which is the name of its event if events have names. */
const typeOf = ({ value }: ReadFrame): string | undefined => value?.type as string | undefined;

const finishReasonOf = ({ isNeutral }: AnswerForm, answer: AnswerGatherer): FinishReason => {
  // A translated stream without a finish reason is treated as incomplete, because nothing else
  // shows that it is complete.
  const endsWithAnswer = !isNeutral && answer.choices().length > 0;
  return answer.finishReason ?? (endsWithAnswer ? 'stop' : 'error');
};

type KnownFrame = ReadFrame & { kind: Frame['kind'] };

/**
 * Creates a reader of a provider's frames, which replaces frames that deviate from the dialect by
 * frames in its form. It returns undefined for a frame that is not forwarded. `refuse` is called for
 * a frame that verifiers refuse.
 */
const createFrameReader = (
  dialect: Endpoint,
  refuse: (contradiction: string) => void,
): ((frame: SseFrame) => KnownFrame | undefined) => {
  const parse = createTemplateParser(dialect.findTextHole, (text) => parseAnswer(text, refuse));
  const normalizer = dialect.createAnswerNormalizer?.();
  return (frame) => {
    const { kind, value } = dialect.readFrame(frame.data, parse);
    const normalized = value && normalizer ? normalizer.chunk(value) : value;
    if (normalized === value) return { kind, frame, value };
    if (!normalized) return undefined;
    const data = JSON.stringify(normalized);
    const bytes = Buffer.from(`data: ${data}\n\n`);
    return { ...dialect.readFrame(data), frame: { ...frame, data, bytes }, value: normalized };
  };
};

const FRAME_END = Buffer.from('\n\n');
