import type { AnswerPiece, StreamDecoder } from '../dialect.ts';
import { asNumber, asText, asList, asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { ITEM_OVERHEAD, createQueue, bufferedSizeOf } from '../neutral/create-queue.ts';
import { toArguments, defaultCallId, findChoice, toTextPieces } from './decode-response.ts';

/**
 * Creates a decoder of a provider's stream, which returns pieces in order and never throws,
 * whatever the chunks contain. While more arguments of a tool call may follow, all other pieces
 * are buffered, because the pieces of two calls must not be mixed. No stop sequence is
 * named, because this dialect does not report which one ended an answer.
 */
export const createStreamDecoder = (): StreamDecoder => {
  const calls = createCallAssembler();
  const queue = createQueue<Call | AnswerPiece>();
  let queuedLength = 0;
  let open: Call | undefined;

  const enqueue = (piece: AnswerPiece): void => {
    queue.push(piece);
    queuedLength += bufferedSizeOf(piece);
  };
  /**
   * Returns the pieces that can be emitted now. While `canClose` is false for the open tool call,
   * the pieces after it stay in the queue.
   */
  const drain = (
    emit: (call: Call) => AnswerPiece[],
    canClose: (call: Call) => boolean,
  ): AnswerPiece[] => {
    const pieces = open ? emit(open) : [];
    while (queue.first && (open === undefined || canClose(open))) {
      const next = queue.shift()!;
      if ('progress' in next) {
        open = next;
        for (const piece of emit(next)) pieces.push(piece);
      } else {
        open = undefined;
        queuedLength -= bufferedSizeOf(next);
        pieces.push(next);
      }
    }
    return pieces;
  };

  return {
    push: (chunk) => {
      const delta = asObject(findChoice(chunk)?.delta);
      if (!delta) return [];
      for (const piece of toTextPieces(delta)) enqueue(piece);
      for (const item of asList(delta.tool_calls)) {
        const piece = asObject(item);
        if (!piece) continue;
        const { call, isNew } = calls.addPiece(piece);
        if (isNew) queue.push(call);
      }
      return drain(calls.emitNamed, isCallDone);
    },
    end: () => drain(calls.emit, () => true),
    get bufferedSize() {
      return queuedLength + calls.bufferedSize;
    },
    stopSequence: '',
  };
};

const isCallDone = ({ isStarted, isReplaced, progress }: Call): boolean =>
  isStarted && (isReplaced || progress.isComplete);

type Call = {
  index: number;
  id: string;
  name: string;
  pending: string;
  progress: JsonProgress;
  isStarted: boolean;
  /**
   * True if a newer call uses the index of this call, so that no more pieces of this call follow.
   */
  isReplaced: boolean;
};

const createCallAssembler = () => {
  let count = 0;
  let last: Call | undefined;
  let bufferedSize = 0;
  const byIndex = new Map<number, Call>();
  const byId = new Map<string, Call>();

  const open = (index: number | undefined): Call => {
    const call = createCall(count);
    count += 1;
    last = call;
    if (index !== undefined) byIndex.set(index, call);
    return call;
  };
  const find = (piece: JsonObject): Call | undefined => {
    const id = asText(piece.id);
    const index = asNumber(piece.index);
    if (index === undefined) return id === '' ? last : byId.get(id);
    const call = byIndex.get(index);
    // A piece with a known index can begin a new call: Gemini sends all calls with index 0, but
    // each in one piece with its own id.
    const isNewCall =
      call !== undefined && call.id !== '' && id !== '' && id !== call.id && nameOf(piece) !== '';
    if (isNewCall) call.isReplaced = true;
    return isNewCall ? undefined : call;
  };
  const addPiece = (piece: JsonObject): { call: Call; isNew: boolean } => {
    const openCall = find(piece);
    const call = openCall ?? open(asNumber(piece.index));
    const lengthBefore = openCall ? pendingLengthOf(openCall) : 0;
    append(call, piece);
    if ((byId.get(call.id)?.index ?? 0) <= call.index) byId.set(call.id, call);
    bufferedSize += pendingLengthOf(call) - lengthBefore;
    return { call, isNew: openCall === undefined };
  };
  const emit = (call: Call): AnswerPiece[] => {
    const pieces: AnswerPiece[] = [];
    bufferedSize -= pendingLengthOf(call);
    if (!call.isStarted) {
      const id = call.id || defaultCallId(call.index);
      pieces.push({ case: 'toolCall', value: { id, name: call.name } });
      call.isStarted = true;
    }
    if (call.pending !== '') pieces.push({ case: 'toolArguments', value: call.pending });
    call.pending = '';
    return pieces;
  };
  return {
    addPiece,
    emit,
    emitNamed: (call: Call): AnswerPiece[] => (call.name === '' ? [] : emit(call)),
    get bufferedSize() {
      return bufferedSize;
    },
  };
};

const createCall = (index: number): Call => ({
  index,
  id: '',
  name: '',
  pending: '',
  progress: createJsonProgress(),
  isStarted: false,
  isReplaced: false,
});

/**
 * Appends a piece to a tool call. Only the first id and name are used, because some providers
 * repeat them.
 */
const append = (call: Call, piece: JsonObject): void => {
  call.id ||= asText(piece.id);
  call.name ||= nameOf(piece);
  const argumentsText = toArguments(asObject(piece.function)?.arguments);
  call.pending += argumentsText;
  call.progress.addPiece(argumentsText);
};

const pendingLengthOf = ({ isStarted, id, name, pending }: Call): number =>
  pending.length + (isStarted ? 0 : ITEM_OVERHEAD + id.length + name.length);

const nameOf = (piece: JsonObject): string => asText(asObject(piece.function)?.name);

type JsonProgress = {
  addPiece: (piece: string) => void;
  readonly isComplete: boolean;
};

/**
 * Creates a scanner that detects when streamed JSON text is complete. It scans every character
 * once, because parsing the text again after each piece would take quadratic time. A value that is
 * neither an object nor a list never counts as complete.
 */
export const createJsonProgress = (): JsonProgress => {
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let isComplete = false;
  const addChar = (char: string): void => {
    if (isEscaped) isEscaped = false;
    else if (isInText) {
      if (char === '\\') isEscaped = true;
      else if (char === '"') isInText = false;
    } else if (char === '"') isInText = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) isComplete = true;
    }
  };
  return {
    addPiece: (piece) => {
      for (const char of piece) addChar(char);
    },
    get isComplete() {
      return isComplete;
    },
  };
};
