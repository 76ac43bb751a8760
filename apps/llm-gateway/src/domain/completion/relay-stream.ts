import { createAlikeParser, createNeutralAnswer, DIALECTS } from '@witan/dialects';
import type { AnswerPiece, Frame } from '@witan/dialects';
import { createSseSplitter } from '@witan/proof';
import type { AnswerGatherer, FinishReason, SseFrame } from '@witan/proof';
import { createPieceMender } from './mend-pieces.ts';
import { toDelivered, toPartEvent } from './neutral-answer.ts';
import { wireEvent } from './opened-event.ts';
import { clientOf } from './relay-plain.ts';
import type { Attempt } from './run-attempt.ts';
import type { CompletionEvent } from './run-completion.ts';
import type { Delivered } from './seal-ending.ts';

/** Turns a provider's stream into the client's, and gathers what the certificate commits to. */
export type StreamRelay = {
  /** Takes bytes as they came; answers what the client may have now. */
  push: (bytes: Uint8Array) => CompletionEvent[];
  /** The provider closed: some do behind their last frame without the blank line that ends it. */
  finish: () => void;
  /** How the stream ended by its own words; undefined while it has not. */
  readonly ended: 'done' | 'error' | undefined;
  readonly delivered: Delivered;
  readonly finishReason: FinishReason;
  readonly stopSequence: string;
  /** What ends the answer; for the client only once the certificate is durable. */
  lastEvents: () => CompletionEvent[];
};

/** What a frame becomes on its way to the client. */
type FrameHandler = {
  take: (kind: Frame['kind'], frame: SseFrame, value: Frame['value']) => void;
  /** What may leave now. */
  flush: () => CompletionEvent[];
  lastEvents: () => CompletionEvent[];
  readonly stopSequence: string;
};

/** In the client's dialect frames pass byte for byte; in another one they become neutral pieces. */
export const createStreamRelay = (
  attempt: Pick<Attempt, 'provider' | 'egress' | 'call'>,
): StreamRelay => {
  const dialect = DIALECTS[attempt.provider.dialect];
  const splitter = createSseSplitter();
  const parse = createAlikeParser(dialect.findWords);
  const gathered = dialect.createAnswer();
  const { handler, delivered } = attempt.egress.isNeutral
    ? createTranslation(attempt, gathered)
    : { handler: createPassage(attempt), delivered: gathered };
  let ended: StreamRelay['ended'];
  const takeFrame = (frame: SseFrame): void => {
    if (ended) return;
    const { kind, value } = dialect.readFrame(frame.data, parse);
    if (value) gathered.chunk(value);
    if (kind === 'done' || kind === 'error') ended = kind;
    handler.take(kind, frame, value);
  };
  return {
    push: (bytes) => {
      for (const frame of splitter.push(bytes)) takeFrame(frame);
      return handler.flush();
    },
    finish: () => {
      const rest = ended ? undefined : splitter.end();
      if (rest && dialect.readFrame(rest.data).kind === 'done') {
        takeFrame({ ...rest, bytes: Buffer.concat([rest.bytes, FRAME_END]) });
      }
    },
    delivered,
    lastEvents: handler.lastEvents,
    get ended() {
      return ended;
    },
    get finishReason() {
      if (ended === 'error') return 'error';
      // Of a stream that is written anew nothing else would tell that it is not whole.
      const isWhole = !attempt.egress.isNeutral && gathered.choices().length > 0;
      return gathered.finishReason ?? (isWhole ? 'stop' : 'error');
    },
    get stopSequence() {
      return handler.stopSequence;
    },
  };
};

const FRAME_END = Buffer.from('\n\n');

/** Frames kept back before the answer is opened without content, and their bytes. */
const HELD_FRAMES_MAX = 1_000;
const HELD_BYTES_MAX = 256 * 1024;
const NOTHING: CompletionEvent[] = [];

/** Bytes pass as they are, except a usage chunk that the client did not ask for. */
const createPassage = ({ call }: Pick<Attempt, 'call'>): FrameHandler => {
  const wantsUsage = call.asked.form === 'wire' && call.asked.facts.wantsUsage;
  /** Kept back until there is content, so that an early failure still has its status. */
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isOpened = false;
  let passed: Uint8Array[] = [];
  let lastBytes: Uint8Array = new Uint8Array();
  const mayHold = (): boolean => heldBytes < HELD_BYTES_MAX && held.length < HELD_FRAMES_MAX;
  const open = (): void => {
    isOpened = true;
    if (held.length === 0) return;
    passed.push(...held);
    held = [];
  };
  return {
    stopSequence: '',
    take: (kind, { bytes }) => {
      if (kind === 'done' || kind === 'error') {
        // An error before content opens nothing, so that it can still have a status of its own.
        if (kind === 'done' || isOpened) passed.push(...held);
        held = [];
        lastBytes = copyOf(bytes);
      } else if (kind === 'usage' && !wantsUsage) {
        // Asked for by us, for the certificate.
      } else if (kind === 'lifecycle' && !isOpened && mayHold()) {
        held.push(copyOf(bytes));
        heldBytes += bytes.length;
      } else {
        open();
        passed.push(bytes);
      }
    },
    flush: () => {
      if (passed.length === 0) return NOTHING;
      const bytes = passed.length === 1 ? passed[0]! : Buffer.concat(passed);
      passed = [];
      return [wireEvent(bytes)];
    },
    lastEvents: () => [wireEvent(lastBytes)],
  };
};

/** The splitter's view may be of a buffer that is used again; a Buffer's `slice` is no copy. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

const createTranslation = (
  attempt: Pick<Attempt, 'provider' | 'call'>,
  gathered: AnswerGatherer,
): { handler: FrameHandler; delivered: Delivered } => {
  const decoder = DIALECTS[attempt.provider.dialect].createStreamDecoder();
  const mender = createPieceMender();
  const answer = createNeutralAnswer(clientOf(attempt));
  let pieces: AnswerPiece[] = [];
  const keep = (more: readonly AnswerPiece[]): void => {
    answer.take(more);
    for (const piece of more) pieces.push(piece);
  };
  const flush = (): CompletionEvent[] => {
    if (pieces.length === 0) return NOTHING;
    const events = pieces.map(toPartEvent);
    pieces = [];
    return events;
  };
  const handler: FrameHandler = {
    get stopSequence() {
      return decoder.stopSequence;
    },
    take: (kind, _frame, value) => {
      if (kind === 'done') keep([...mender.mend(decoder.end()), ...mender.end()]);
      else if (kind !== 'error' && value) keep(mender.mend(decoder.push(value)));
    },
    flush,
    lastEvents: flush,
  };
  return { handler, delivered: toDelivered(answer, gathered, () => decoder.heldLength) };
};
