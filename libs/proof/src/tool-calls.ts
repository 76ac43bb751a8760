import {
  asCount,
  asMembers,
  asString,
  differs,
  ENTRY_BYTES,
  findNoText,
  takeMembers,
  takeString,
  toArguments,
  utf8Length,
} from './answer.ts';
import type { AnswerToolCall } from './answer.ts';
import type { Uses } from './uses.ts';

/** What a collector of tool calls shares with the answer that they belong to. */
export type CallContext = {
  readonly uses: Uses | undefined;
  /** Records why the answer is refused, if it is not already. */
  contradict(contradiction: string): void;
  /** Takes back what the current part of the answer changed, if it contradicts an earlier one. */
  undo: (() => void)[] | undefined;
};

export type ToolCalls = {
  takeWhole(list: readonly unknown[]): number;
  takePieces(list: readonly unknown[]): number;
  toList(): AnswerToolCall[];
};

type Members = Record<string, unknown>;

export function createToolCalls(context: CallContext): ToolCalls {
  const calls = new Map<number, AnswerToolCall>();
  const slotOfId = new Map<string, number>();
  let last = -1;

  /**
   * Returns the slot of a piece of a tool call: that of its index; without an index, which clients
   * need, that of its id, which is a new one for an unknown id; without both, that of the last
   * call.
   */
  function slotOf(piece: Members): number {
    const index = asCount(piece['index']);
    // Clients leave a gap for an index that is skipped.
    if (index !== undefined && index <= calls.size) context.uses?.mark(piece, 'index');
    if (index !== undefined) return index;
    context.uses?.note('choices[].delta.tool_calls[].index');
    const id = asString(piece['id']);
    return id === '' ? Math.max(last, 0) : (slotOfId.get(id) ?? last + 1);
  }

  function addToSlot(slot: number, piece: Members): number {
    const known = calls.get(slot);
    const call = { ...(known ?? { id: '', name: '', arguments: '' }) };
    context.undo?.push(() => void (known ? calls.set(slot, known) : calls.delete(slot)));
    calls.set(slot, call);
    last = Math.max(last, slot);
    const bytes = addPiece(context, call, piece);
    if (call.id !== '') slotOfId.set(call.id, slot);
    return known ? bytes : bytes + ENTRY_BYTES;
  }

  function takeAll(
    list: readonly unknown[],
    toSlot: (piece: Members, position: number) => number,
  ): number {
    return list.reduce<number>((bytes, item, position) => {
      const piece = asMembers(item);
      return piece === undefined ? bytes : bytes + addToSlot(toSlot(piece, position), piece);
    }, 0);
  }

  return {
    takeWhole: (list) => takeAll(list, (_piece, position) => position),
    takePieces: (list) => takeAll(list, slotOf),
    toList: () => [...calls].toSorted(([a], [b]) => a - b).map(([, call]) => call),
  };
}

/**
 * Adds a piece to a tool call. Some providers repeat the id and the name, which must then be those
 * of the first piece.
 */
function addPiece(context: CallContext, call: AnswerToolCall, piece: Members): number {
  const { uses } = context;
  const called = takeMembers(uses, piece, 'function') ?? {};
  if (piece['type'] === 'function') uses?.mark(piece, 'type');
  const id = takeString(uses, piece, 'id');
  const name = takeString(uses, called, 'name');
  if (id !== '' && call.id !== '' && id !== call.id) context.contradict(differs('tool_calls[].id'));
  if (name !== '' && call.name !== '' && name !== call.name) {
    context.contradict(differs('tool_calls[].function.name'));
  }
  const text = takeArguments(context, called);
  const bytes = utf8Length(text) + newBytes(call.id, id) + newBytes(call.name, name);
  call.id ||= id;
  call.name ||= name;
  call.arguments += text;
  return bytes;
}

const newBytes = (known: string, text: string): number => (known === '' ? utf8Length(text) : 0);

/**
 * Returns a tool call's arguments as text. Some local runtimes send an object instead, which is not
 * what a certificate covers.
 */
function takeArguments({ uses, contradict }: CallContext, called: Members): string {
  const value = called['arguments'];
  if (typeof value === 'object' && value !== null) return toArguments(value);
  const contradiction = findNoText('tool_calls[].function.arguments', value);
  if (contradiction !== undefined) contradict(contradiction);
  return takeString(uses, called, 'arguments');
}
