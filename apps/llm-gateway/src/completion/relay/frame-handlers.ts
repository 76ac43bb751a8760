import { createNeutralAnswerCollector, ENDPOINTS } from '@witan/dialects';
import type { AnswerPiece, Frame } from '@witan/dialects';
import type { AnswerGatherer } from '@witan/proof';
import type { ReadFrame } from '../../masking/restore-frames.ts';
import { createPieceRestorer } from '../../masking/restore-pieces.ts';
import type { PieceRestorer } from '../../masking/restore-pieces.ts';
import type { RestoreContext } from '../../masking/restore-text.ts';
import type { AnswerForm } from '../attempt.ts';
import type { CompletionEvent } from '../completion.ts';
import { wireEvent } from './end-relay.ts';
import type { Delivered } from './end-relay.ts';
import { createPieceNormalizer, toDelivered, toPartEvent } from './neutral-answer.ts';
import { redactBody } from './restore-body.ts';

/** Turns the frames of a stream into events. */
type FrameHandler = {
  handleFrame: (kind: Frame['kind'], frame: ReadFrame['frame'], value: Frame['value']) => void;
  flush: () => CompletionEvent[];
  lastEvents: () => CompletionEvent[];
  readonly stopSequence: string;
};

const BUFFERED_FRAMES_MAX = 1_000;
const BUFFERED_BYTES_MAX = 256 * 1024;
const NO_EVENTS: CompletionEvent[] = [];

/**
 * Creates a handler that passes frames on byte for byte, except that it drops a usage chunk that
 * the client did not request, redacts an error frame, and ends the stream as its dialect requires,
 * even if the provider does not.
 */
export const createPassThrough = (form: AnswerForm): FrameHandler => {
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

const IDENTITY_RESTORER: PieceRestorer = { take: (pieces) => [...pieces], end: () => [] };

/**
 * Creates a handler that decodes frames to neutral pieces. `answerGatherer` has the usage and the
 * choices that the provider reported.
 */
export const createTranslation = (
  { dialect, client }: AnswerForm,
  answerGatherer: AnswerGatherer,
  restoreContext: RestoreContext | undefined,
): { handler: FrameHandler; delivered: Delivered } => {
  const decoder = ENDPOINTS[dialect].createStreamDecoder();
  const normalizer = createPieceNormalizer();
  // Reasoning of the messages dialect is signed, so its text must not change.
  const preservesReasoning = dialect === 'messages';
  const restorer = restoreContext
    ? createPieceRestorer(restoreContext, { preservesReasoning })
    : IDENTITY_RESTORER;
  const answer = createNeutralAnswerCollector(client);
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
