import type { AnswerPiece } from '../dialect.ts';
import type { JsonObject } from '../json/lenient.ts';
import { asNumber, asObject, asText } from '../json/lenient.ts';
import { ITEM_OVERHEAD } from '../neutral/buffered-size.ts';
import { toArguments, defaultCallId } from './decode-response.ts';
import { createJsonProgress } from './json-progress.ts';
import type { JsonProgress } from './json-progress.ts';

export type Call = {
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

export const createCallAssembler = () => {
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
