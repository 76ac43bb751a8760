import type { AnswerToolCall } from './answer.ts';
import { commitmentText } from './commitment.ts';
import { ProofError } from './errors.ts';
import { asCount, asList, asMembers, asString, utf8Length } from './lenient.ts';

/** Bytes of memory that a choice or tool call is assumed to take in addition to its texts. */
export const ENTRY_BYTES = 64;

export type ToolCalls = {
  takeWhole(list: unknown): number;
  takePieces(list: unknown): number;
  toList(): AnswerToolCall[];
};

type Members = Record<string, unknown>;

export function createToolCalls(): ToolCalls {
  const calls = new Map<number, AnswerToolCall>();
  const slotOfId = new Map<string, number>();
  let last = -1;

  /**
   * Returns the slot of a piece of a tool call: that of its index; without an index, that of its
   * id, which is a new one for an unknown id; without both, that of the last call.
   */
  function slotOf(piece: Members): number {
    const index = asCount(piece['index']);
    if (index !== undefined) return index;
    const id = asString(piece['id']);
    return id === '' ? Math.max(last, 0) : (slotOfId.get(id) ?? last + 1);
  }

  function addToSlot(slot: number, piece: Members): number {
    const isNew = !calls.has(slot);
    const call = calls.get(slot) ?? { id: '', name: '', arguments: '' };
    calls.set(slot, call);
    last = Math.max(last, slot);
    const bytes = addPiece(call, piece);
    if (call.id !== '') slotOfId.set(call.id, slot);
    return isNew ? bytes + ENTRY_BYTES : bytes;
  }

  function takeList(list: unknown, toSlot: (piece: Members, position: number) => number): number {
    return asList(list).reduce<number>((bytes, item, position) => {
      const piece = asMembers(item);
      return piece === undefined ? bytes : bytes + addToSlot(toSlot(piece, position), piece);
    }, 0);
  }

  return {
    takeWhole: (list) => takeList(list, (_piece, position) => position),
    takePieces: (list) => takeList(list, slotOf),
    toList: () => [...calls].toSorted(([a], [b]) => a - b).map(([, call]) => call),
  };
}

/**
 * Adds a piece to a tool call. Only the first id and name are used, because some providers repeat
 * them.
 */
function addPiece(call: AnswerToolCall, piece: Members): number {
  const calledFunction = asMembers(piece['function']);
  const id = call.id === '' ? asString(piece['id']) : '';
  const name = call.name === '' ? asString(calledFunction?.['name']) : '';
  const text = asArguments(calledFunction?.['arguments']);
  call.id += id;
  call.name += name;
  call.arguments += text;
  return utf8Length(id) + utf8Length(name) + utf8Length(text);
}

/** Returns a tool call's arguments as text. Some local runtimes send an object instead. */
function asArguments(value: unknown): string {
  return typeof value === 'object' && value !== null ? toArguments(value) : asString(value);
}

export function toArguments(value: unknown): string {
  try {
    return commitmentText(value);
  } catch (error) {
    if (error instanceof ProofError) return '';
    throw error;
  }
}

/**
 * Returns the arguments that are committed to, given the JSON text of a tool's input in the
 * messages dialect: its canonical text, which is the same for a streamed and a plain answer. An
 * empty text gives `{}`. A text that does not parse, for example because the answer was cut off, is
 * returned unchanged; one that is nested too deep gives an empty text. Never throws.
 */
export function toInputArguments(json: string): string {
  if (json.trim() === '') return '{}';
  let input: unknown;
  try {
    input = JSON.parse(json);
  } catch {
    return json;
  }
  return toArguments(input);
}
