import { readSummary } from './compaction.ts';
import {
  asMembers,
  asString,
  differs,
  ENTRY_BYTES,
  findNoText,
  takeList,
  takeString,
  utf8Length,
} from './answer.ts';
import type { Uses } from './uses.ts';

type Members = Record<string, unknown>;

export type TextKind = 'text' | 'refusal' | 'arguments';

/** A text of an item; whole once an event had all of it. */
type Text = { kind: TextKind; value: string; isWhole: boolean };

/**
 * An item of the output; `type` is empty until an event names it. `texts` are those of the parts by
 * their index; arguments of a call have the index 0.
 */
export type Item = { type: string; callId: string; name: string; texts: Map<number, Text> };

/** How an event has a text or an item: a piece of it, what it begins with, or all of it. */
export type Extent = 'piece' | 'beginning' | 'whole';

/** What the items of a response share. */
export type ItemState = {
  readonly uses: Uses | undefined;
  isCompaction: boolean;
  readonly items: Map<number, Item>;
  bytes: number;
  contradiction: string | undefined;
  /** Takes back what the current event changed, if it contradicts an earlier one. */
  undo: (() => void)[];
};

export function contradict(state: ItemState, member: string): void {
  state.contradiction ??= differs(member);
}

export function itemAt(state: ItemState, index: number): Item {
  let item = state.items.get(index);
  if (item === undefined) {
    item = { type: '', callId: '', name: '', texts: new Map() };
    state.items.set(index, item);
    state.undo.push(() => void state.items.delete(index));
    state.bytes += ENTRY_BYTES;
  }
  return item;
}

export function takeItem(state: ItemState, item: Item, source: Members, extent: Extent): void {
  const { uses } = state;
  const type = asString(source['type']);
  const texts = [...item.texts.values()];
  if (item.type !== '' && type !== item.type) return contradict(state, 'item.type');
  if (texts.some(({ kind }) => typeOf(kind) !== type)) return contradict(state, 'item.type');
  const { type: knownType } = item;
  state.undo.push(() => void (item.type = knownType));
  item.type = type;
  if (type === 'function_call') {
    uses?.mark(source, 'type');
    takeIdentity(state, item, source);
    takeWord(state, item, { holder: source, name: 'arguments', kind: 'arguments', extent });
  } else if (type === 'compaction' && state.isCompaction) {
    const summary = readSummary(asString(source['encrypted_content']));
    if (summary === undefined) return;
    for (const name of ['type', 'encrypted_content']) uses?.mark(source, name);
    item.texts.set(0, { kind: 'text', value: summary, isWhole: true });
    state.bytes += utf8Length(summary);
  } else if (type === 'message' && !state.isCompaction) {
    if (item.texts.size > 0) uses?.mark(source, 'type');
    const parts = takeList(uses, source, 'content');
    for (const [position, part] of parts.entries()) {
      uses?.mark(source, 'type');
      takePart(state, item, { part: asMembers(part), position, extent });
    }
    const isMissing = (position: number): boolean => !isText(parts[position]);
    if (extent === 'whole' && [...item.texts.keys()].some(isMissing)) {
      contradict(state, 'item.content[]');
    }
  }
}

export const typeOf = (kind: TextKind): string =>
  kind === 'arguments' ? 'function_call' : 'message';

const PART_KINDS = new Map<unknown, 'text' | 'refusal'>([
  ['output_text', 'text'],
  ['refusal', 'refusal'],
]);

const isText = (part: unknown): boolean => PART_KINDS.has(asMembers(part)?.['type']);

/** Takes the id and the name of a call. One that was empty may follow later. */
function takeIdentity(state: ItemState, item: Item, source: Members): void {
  const callId = asString(source['call_id']);
  const name = asString(source['name']);
  if (callId !== '') takeString(state.uses, source, 'call_id');
  if (name !== '') takeString(state.uses, source, 'name');
  if (item.callId !== '' && callId !== item.callId) return contradict(state, 'item.call_id');
  if (item.name !== '' && name !== item.name) return contradict(state, 'item.name');
  const known = { callId: item.callId, name: item.name };
  if (callId === known.callId && name === known.name) return;
  state.undo.push(() => void Object.assign(item, known));
  Object.assign(item, { callId, name });
  state.bytes += utf8Length(callId) + utf8Length(name);
}

export function takePart(
  state: ItemState,
  item: Item,
  { part, position, extent }: { part: Members | undefined; position: number; extent: Extent },
): void {
  const kind = part && PART_KINDS.get(part['type']);
  if (part === undefined || kind === undefined) return;
  takeWord(state, item, { holder: part, name: kind, kind, extent, position });
}

type Word = {
  holder: Members;
  name: string;
  kind: TextKind;
  extent: Extent;
  position?: number;
};

/**
 * Takes a member that has a text, or a piece of it. That a text is a refusal is not covered, but a
 * refusal is text.
 */
export function takeWord(
  state: ItemState,
  item: Item,
  { holder, name, kind, extent, position = 0 }: Word,
): void {
  const value = holder[name];
  const known = item.texts.get(position);
  const member = kind === 'arguments' ? 'arguments' : `the ${kind} of a part`;
  if (typeof value !== 'string') {
    state.contradiction ??= findNoText(member, value);
    if (extent === 'whole' && known !== undefined && known.value !== '') contradict(state, member);
    return;
  }
  // What a text begins with may be repeated or not, and an empty piece replaced by the whole text.
  const isUsed = extent === 'whole' || (extent === 'piece') === (value !== '');
  if (kind !== 'refusal' && isUsed) {
    for (const used of [name, 'type']) state.uses?.mark(holder, used);
  }
  if (known !== undefined && !mayFollow(known, { kind, value, extent })) {
    return contradict(state, member);
  }
  if (known === undefined || known.value === '' || extent === 'piece') {
    state.bytes += utf8Length(value);
  }
  // A piece is all that its event has, so it is never taken back.
  if (extent === 'piece' && known !== undefined) known.value += value;
  else {
    item.texts.set(position, { kind, value, isWhole: extent === 'whole' });
    state.undo.push(() => restoreText(item, position, known));
  }
}

/**
 * Returns whether an event may follow what was received of a text: a piece until it is whole, the
 * whole text if it repeats the pieces, and its beginning only before them.
 */
function mayFollow(
  known: Text,
  { kind, value, extent }: { kind: TextKind; value: string; extent: Extent },
): boolean {
  if (kind !== known.kind) return false;
  if (extent === 'piece') return !known.isWhole || value === '';
  if (known.value === '' && !known.isWhole) return true;
  return extent === 'whole' && value === known.value;
}

function restoreText({ texts }: Item, position: number, known: Text | undefined): void {
  if (known === undefined) texts.delete(position);
  else texts.set(position, known);
}

export function textOf(items: readonly Item[], wanted: TextKind): string {
  return items
    .flatMap(({ texts }) => [...texts].toSorted(([a], [b]) => a - b))
    .map(([, { kind, value }]) => (kind === wanted ? value : ''))
    .join('');
}
