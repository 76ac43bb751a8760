import { ServiceError } from '@witan/contracts';
import type { AnswerSink } from '@witan/contracts';
import { createTemplateParser, ENDPOINTS, parseAnswer } from '@witan/dialects';
import type { Endpoint, Frame } from '@witan/dialects';
import { AMBIGUOUS_FRAME, createSseSplitter } from '@witan/proof';
import type { AnswerGatherer, FinishReason, SseFrame } from '@witan/proof';
import { createFrameRestorer, createRestoreContext } from '../masking/restore.ts';
import type { ReadFrame } from '../masking/restore.ts';
import { ANSWER_BYTES_MAX, answerTooLarge } from '../provider/provider.ts';
import type { AnswerBody } from '../provider/provider.ts';
import type {
  AnswerForm,
  AnsweredAttempt,
  BrokenAttempt,
  FrameHandler,
  RelayOutput,
  SentAttempt,
} from './attempt.ts';
import { providerMsOf, toAnswered, toBroken, toOpened } from './ending.ts';
import type { Delivered } from './ending.ts';
import { createTranslation } from './relay-neutral.ts';
import { contradictoryAnswer, redactBody } from './whole-body.ts';

/**
 * Relays a stream to the sink of its call, except its end, which must wait for the certificate. The
 * answer is opened once there is content, or once too much is buffered; until then the client has
 * received nothing. A stream without its terminal event is never returned as answered. Bytes that
 * arrive in the same tick are relayed together. If the receiver's buffer is full, the provider's
 * connection pauses.
 */
export const relayStreamed = (sent: SentAttempt): Promise<AnsweredAttempt | BrokenAttempt> =>
  new Promise((resolve) => {
    const { sink, answer } = sent;
    let openedMs: number | undefined;
    let arrived: Uint8Array[] = [];
    let isEnded = false;
    const open = (): void => {
      openedMs = providerMsOf(sent);
      sink.opened(toOpened(sent, { streamed: true, providerMs: openedMs }));
    };
    const relay = createStreamRelay(sent.form, {
      bytes: (bytes) => {
        if (openedMs === undefined) open();
        pauseUntil(sink.bytes(bytes), answer.body);
      },
      piece: (piece) => {
        if (openedMs === undefined) open();
        pauseUntil(sink.piece(piece), answer.body);
      },
    });
    const finish = (attempt: AnsweredAttempt | BrokenAttempt): void => {
      isEnded = true;
      answer.body.discard();
      resolve(attempt);
    };
    const fail = (error: unknown): void => finish(breakStream(sent, relay, { error, openedMs }));
    const complete = (): void => finish(endStream(sent, relay, openedMs));
    const relayArrived = (): void => {
      if (isEnded || arrived.length === 0) return;
      const bytes = arrived.length === 1 ? arrived[0]! : Buffer.concat(arrived);
      arrived = [];
      relay.push(bytes);
      if (relay.ended || relay.contradiction !== undefined) complete();
      else if (relay.delivered.contentBytes > ANSWER_BYTES_MAX) {
        throw answerTooLarge(ANSWER_BYTES_MAX);
      }
    };
    const guard = (step: () => void) => (): void => {
      try {
        if (!isEnded) step();
      } catch (error) {
        fail(error);
      }
    };
    const onTick = guard(relayArrived);
    answer.body.read({
      bytes: (chunk) => {
        if (arrived.push(chunk) === 1) queueMicrotask(onTick);
      },
      end: guard(() => {
        relayArrived();
        if (!isEnded) complete();
      }),
      fail: (error) => {
        onTick();
        if (!isEnded) fail(error);
      },
    });
  });

const endStream = (
  sent: SentAttempt,
  relay: StreamRelay,
  openedMs: number | undefined,
): AnsweredAttempt | BrokenAttempt => {
  relay.finish();
  if (!isComplete(relay, sent, openedMs !== undefined)) {
    return breakStream(sent, relay, { error: brokenOff(relay), openedMs });
  }
  const { delivered, finishReason, stopSequence, sendLast: sendRest } = relay;
  const late = { streamed: true, providerMs: providerMsOf(sent) };
  const opened = openedMs === undefined ? toOpened(sent, late) : undefined;
  return toAnswered(sent, delivered, { finishReason, stopSequence, opened, sendRest });
};

const breakStream = (
  sent: SentAttempt,
  { delivered }: StreamRelay,
  { error, openedMs }: { error: unknown; openedMs: number | undefined },
): BrokenAttempt =>
  openedMs === undefined
    ? toBroken(sent, { error, providerMs: providerMsOf(sent) })
    : toBroken(sent, { error, providerMs: openedMs, delivered });

const pauseUntil = (drained: Promise<void> | undefined, body: AnswerBody): void => {
  if (!drained) return;
  body.pause();
  // Rejects when the client leaves, which ends the call elsewhere.
  drained.then(body.resume, body.resume);
};

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
  /** Takes bytes of the provider, and passes on what the client may receive now. */
  push: (bytes: Uint8Array) => void;
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
  /** Sends what `push` has not passed on; called when the stream has ended. */
  sendLast: (sink: Pick<AnswerSink, 'bytes' | 'piece'>) => void;
};

/**
 * Creates a relay that passes frames on, with masked values restored, if the provider's dialect is
 * the client's, and otherwise decodes them to neutral pieces.
 */
export const createStreamRelay = (form: AnswerForm, output: RelayOutput): StreamRelay => {
  const dialect = ENDPOINTS[form.dialect];
  const splitter = createSseSplitter();
  const readNormalized = createFrameReader(dialect, (why) => void (refused ??= why));
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
    else readNormalized(received, takeFrame);
  };
  const takeFrame = ({ kind, frame, value }: KnownFrame, name: string | undefined): void => {
    if (findContradiction() !== undefined) return;
    if (kind === 'done' || kind === 'error' || kind === 'cut') ended = kind;
    // A frame that only ends the stream must not reach the client, because its answer is cut off.
    if (kind === 'cut') return;
    if (!restorer) forwardFrame(kind, { frame, value }, name);
    else {
      const frames = restorer.take({ frame, value }, kind);
      // Frames inserted before this one carry text that the restorer had buffered.
      for (const one of frames.slice(0, -1)) forwardFrame('content', one, name && typeOf(one));
      const last = frames.at(-1)!;
      // A frame whose text is all buffered must not open the answer: its kind is read again.
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
      handler.flush(output);
    },
    finish: () => {
      const rest = ended ? undefined : splitter.end();
      if (rest && dialect.readFrame(rest.data).kind === 'done') {
        readFrame({ ...rest, bytes: Buffer.concat([rest.bytes, FRAME_END]) });
      }
    },
    delivered,
    sendLast: handler.sendLast,
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
 * frames in its form, of which each is taken with the name of its event. `refuse` is called for a
 * frame that verifiers refuse.
 */
const createFrameReader = (dialect: Endpoint, refuse: (contradiction: string) => void) => {
  const parse = createTemplateParser(dialect.findTextHole, (text) => parseAnswer(text, refuse));
  const normalizer = dialect.createAnswerNormalizer?.();
  return (frame: SseFrame, take: (read: KnownFrame, name: string | undefined) => void): void => {
    const { kind, value } = dialect.readFrame(frame.data, parse);
    const normalized = value && normalizer ? normalizer.chunk(value) : value;
    if (normalized === value || normalized === undefined) {
      return take({ kind, frame, value }, frame.event);
    }
    for (const one of [normalized].flat()) {
      const data = JSON.stringify(one);
      const name = frame.event && (one.type as string | undefined);
      const bytes = Buffer.from(`${name ? `event: ${name}\n` : ''}data: ${data}\n\n`);
      take({ ...dialect.readFrame(data), frame: { data, bytes }, value: one }, name);
    }
  };
};

const FRAME_END = Buffer.from('\n\n');

const BUFFERED_FRAMES_MAX = 1_000;
const BUFFERED_BYTES_MAX = 256 * 1024;

/**
 * Creates a handler that passes frames on byte for byte, except that it drops a usage chunk that
 * the client did not request, redacts an error frame, and ends the stream as its dialect requires,
 * even if the provider does not.
 */
const createPassThrough = (form: AnswerForm): FrameHandler => {
  const streamEnd = Buffer.from(ENDPOINTS[form.dialect].streamEnd);
  /**
   * Frames before the first content, buffered so that an early failure can still set the status.
   */
  let bufferedFrames: Uint8Array[] = [];
  let bufferedBytes = 0;
  let isOpened = false;
  let readyFrames: Uint8Array[] = [];
  let lastBytes: Uint8Array = new Uint8Array();
  const mayBuffer = (): boolean =>
    bufferedBytes < BUFFERED_BYTES_MAX && bufferedFrames.length < BUFFERED_FRAMES_MAX;
  const open = (): void => {
    isOpened = true;
    if (bufferedFrames.length === 0) return;
    readyFrames.push(...bufferedFrames);
    bufferedFrames = [];
  };
  return {
    stopSequence: '',
    handleFrame: (kind, { bytes }) => {
      if (kind === 'done' || kind === 'error') {
        // Frames before an early error are dropped, so that the error can still set the HTTP
        // status.
        if (kind === 'done' || isOpened) readyFrames.push(...bufferedFrames);
        bufferedFrames = [];
        const ending = kind === 'error' ? redactBody(form, Buffer.from(bytes)) : bytes;
        lastBytes = Buffer.concat([ending, streamEnd]);
      } else if (kind === 'usage' && !form.wantsUsage) {
        // The gateway requested this chunk for the certificate; the client did not.
      } else if (kind === 'lifecycle' && !isOpened && mayBuffer()) {
        bufferedFrames.push(copyOf(bytes));
        bufferedBytes += bytes.length;
      } else {
        open();
        readyFrames.push(bytes);
      }
    },
    flush: ({ bytes: write }) => {
      if (readyFrames.length === 0) return;
      const bytes = readyFrames.length === 1 ? readyFrames[0]! : Buffer.concat(readyFrames);
      readyFrames = [];
      write(bytes);
    },
    sendLast: ({ bytes: write }) => void write(lastBytes),
  };
};

/** Copies bytes, because the splitter may reuse its buffer, and `Buffer.slice` does not copy. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
