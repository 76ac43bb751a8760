import { createTemplateParser, createNeutralAnswer, DIALECTS } from '@witan/dialects';
import type { AnswerPiece, Frame } from '@witan/dialects';
import { createSseSplitter } from '@witan/proof';
import type { AnswerGatherer, FinishReason, SseFrame } from '@witan/proof';
import { createFrameRestorer } from '../masking/restore-frames.ts';
import type { ReadFrame } from '../masking/restore-frames.ts';
import { createPieceRestorer } from '../masking/restore-pieces.ts';
import type { PieceRestorer } from '../masking/restore-pieces.ts';
import { createRestoreContext } from '../masking/restore-text.ts';
import type { RestoreContext } from '../masking/restore-text.ts';
import { createPieceNormalizer } from './normalize-pieces.ts';
import { toDelivered, toPartEvent } from './neutral-answer.ts';
import { wireEvent } from './opened-event.ts';
import { clientFormatOf } from './relay-plain.ts';
import { redactBody } from './relay-refusal.ts';
import type { Attempt } from './attempt.ts';
import type { CompletionEvent } from './completion.ts';
import type { Delivered } from './certify-ending.ts';

export type StreamRelay = {
  /** Takes bytes of the provider and returns the events that the client may receive now. */
  push: (bytes: Uint8Array) => CompletionEvent[];
  /**
   * Ends the input. Completes a terminal frame without its blank line, which some providers omit.
   */
  finish: () => void;
  readonly ended: 'done' | 'error' | undefined;
  readonly delivered: Delivered;
  readonly finishReason: FinishReason;
  readonly stopSequence: string;
  /** Returns the last events, which the client receives only once the certificate is durable. */
  lastEvents: () => CompletionEvent[];
};

type FrameHandler = {
  handleFrame: (kind: Frame['kind'], frame: ReadFrame['frame'], value: Frame['value']) => void;
  flush: () => CompletionEvent[];
  lastEvents: () => CompletionEvent[];
  readonly stopSequence: string;
};

type StreamedAttempt = Pick<Attempt, 'provider' | 'egress' | 'call'>;

/**
 * Creates a relay that passes frames byte for byte if the provider's dialect is the client's, and
 * otherwise decodes them to neutral pieces.
 */
export const createStreamRelay = (attempt: StreamedAttempt): StreamRelay => {
  const dialect = DIALECTS[attempt.provider.dialect];
  const splitter = createSseSplitter();
  const parse = createTemplateParser(dialect.findText);
  const answerGatherer = dialect.createAnswer();
  const restoreContext = restoreContextOf(attempt);
  const { handler, delivered } = attempt.egress.isNeutral
    ? createTranslation(attempt, answerGatherer, restoreContext)
    : { handler: createPassThrough(attempt), delivered: answerGatherer };
  const restorer =
    restoreContext && !attempt.egress.isNeutral
      ? createFrameRestorer({ ...restoreContext, dialect })
      : undefined;
  let ended: StreamRelay['ended'];
  const readFrame = (frame: SseFrame): void => {
    if (ended) return;
    const { kind, value } = dialect.readFrame(frame.data, parse);
    if (kind === 'done' || kind === 'error') ended = kind;
    if (!restorer) forwardFrame(kind, { frame, value });
    else {
      const frames = restorer.take({ frame, value }, kind);
      // Frames inserted before this one carry text that the restorer had buffered.
      for (const insertedFrame of frames.slice(0, -1)) forwardFrame('content', insertedFrame);
      const last = frames.at(-1)!;
      // A frame whose text is entirely buffered must not open the answer, so its kind is read
      // again.
      const isUnchanged = last.value === value || !last.value;
      forwardFrame(isUnchanged ? kind : dialect.readFrame(last.frame.data).kind, last);
    }
  };
  const forwardFrame = (kind: Frame['kind'], { frame, value }: ReadFrame): void => {
    if (value) answerGatherer.chunk(value);
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
    get finishReason() {
      if (ended === 'error') return 'error';
      // A translated stream without a finish reason is treated as incomplete, because nothing else
      // shows that it is complete.
      const isComplete = !attempt.egress.isNeutral && answerGatherer.choices().length > 0;
      return answerGatherer.finishReason ?? (isComplete ? 'stop' : 'error');
    },
    get stopSequence() {
      return handler.stopSequence;
    },
  };
};

const FRAME_END = Buffer.from('\n\n');

const BUFFERED_FRAMES_MAX = 1_000;
const BUFFERED_BYTES_MAX = 256 * 1024;
const NO_EVENTS: CompletionEvent[] = [];

/**
 * Creates a handler that passes bytes unchanged, except a usage chunk that the client did not
 * request.
 */
const createPassThrough = ({ call, provider }: StreamedAttempt): FrameHandler => {
  const wantsUsage = call.input.form === 'wire' && call.input.summary.wantsUsage;
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
        lastBytes = kind === 'error' ? redactBody(provider, Buffer.from(bytes)) : copyOf(bytes);
      } else if (kind === 'usage' && !wantsUsage) {
        // The gateway requested this chunk for the certificate; the client did not.
      } else if (kind === 'lifecycle' && !isOpened && mayBuffer()) {
        bufferedFrames.push(copyOf(bytes));
        bufferedBytes += bytes.length;
      } else {
        open();
        readyFrames.push(bytes);
      }
    },
    flush: () => {
      if (readyFrames.length === 0) return NO_EVENTS;
      const bytes = readyFrames.length === 1 ? readyFrames[0]! : Buffer.concat(readyFrames);
      readyFrames = [];
      return [wireEvent(bytes)];
    },
    lastEvents: () => [wireEvent(lastBytes)],
  };
};

/** Copies bytes, because the splitter may reuse its buffer, and `Buffer.slice` does not copy. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

const restoreContextOf = ({ egress, call }: StreamedAttempt): RestoreContext | undefined =>
  egress.restorer && createRestoreContext(egress.restorer, call.wantsJson);

const IDENTITY_RESTORER: PieceRestorer = { take: (pieces) => [...pieces], end: () => [] };

const createTranslation = (
  attempt: StreamedAttempt,
  answerGatherer: AnswerGatherer,
  restoreContext: RestoreContext | undefined,
): { handler: FrameHandler; delivered: Delivered } => {
  const decoder = DIALECTS[attempt.provider.dialect].createStreamDecoder();
  const normalizer = createPieceNormalizer();
  // The messages dialect signs its reasoning, so that text must not change.
  const preservesReasoning = attempt.provider.dialect === 'messages';
  const restorer = restoreContext
    ? createPieceRestorer(restoreContext, { preservesReasoning })
    : IDENTITY_RESTORER;
  const answer = createNeutralAnswer(clientFormatOf(attempt));
  let pieces: AnswerPiece[] = [];
  const append = (more: readonly AnswerPiece[]): void => {
    answer.take(more);
    for (const piece of more) pieces.push(piece);
  };
  const flush = (): CompletionEvent[] => {
    if (pieces.length === 0) return NO_EVENTS;
    const events = pieces.map(toPartEvent);
    pieces = [];
    return events;
  };
  const handler: FrameHandler = {
    get stopSequence() {
      return restoreContext?.restorer.restore(decoder.stopSequence) ?? decoder.stopSequence;
    },
    handleFrame: (kind, _frame, value) => {
      if (kind === 'done') {
        const rest = [...normalizer.normalize(decoder.end()), ...normalizer.end()];
        append([...restorer.take(rest), ...restorer.end()]);
      } else if (kind !== 'error' && value)
        append(restorer.take(normalizer.normalize(decoder.push(value))));
    },
    flush,
    lastEvents: flush,
  };
  return { handler, delivered: toDelivered(answer, answerGatherer, () => decoder.bufferedSize) };
};
