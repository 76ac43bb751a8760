import type { AnswerHead, AnswerPiece } from '../dialect.ts';
import { toEncryptedContent } from '../neutral/provider-signature.ts';
import { namespacesOf } from './decode-tools.ts';

/** Receives an event of the stream, whose members are complete at the time of the call. */
export type WriteEvent = (type: string, members: object) => void;

type TextPart = { type: 'output_text'; text: string; annotations: []; logprobs: [] };
type RefusalPart = { type: 'refusal'; refusal: string };
type MessagePart = TextPart | RefusalPart;
type Status = 'in_progress' | 'completed' | 'incomplete';

type MessageItem = {
  id: string;
  type: 'message';
  status: Status;
  role: 'assistant';
  content: MessagePart[];
};
type CallItem = {
  id: string;
  type: 'function_call';
  status: Status;
  call_id: string;
  name: string;
  /** Present if the client declared the function in a namespace. */
  namespace?: string;
  arguments: string;
};
type ReasoningItem = {
  id: string;
  type: 'reasoning';
  status: Status;
  summary: { type: 'summary_text'; text: string }[];
  encrypted_content: string | null;
};
export type OutputItem = MessageItem | CallItem | ReasoningItem;

export type ItemWriter = {
  /** Items so far; only the last one may be in progress. */
  readonly output: readonly OutputItem[];
  take: (piece: AnswerPiece) => void;
  /** Ends the last item; `incomplete` says that it was cut off. */
  end: (status: 'completed' | 'incomplete') => void;
};

/**
 * Creates a writer that arranges pieces as output items and reports the events of each item in
 * order: added, its deltas, done. Every text is sent in deltas and repeated when it ends.
 */
export const createItemWriter = (
  { id: answerId, echo }: Pick<AnswerHead, 'id' | 'echo'>,
  write: WriteEvent,
): ItemWriter => {
  const state: State = { answerId, namespaces: namespacesOf(echo?.tools), write, output: [] };
  return {
    output: state.output,
    take: (piece) => takePiece(state, piece),
    end: (status) => end(state, status),
  };
};

type State = {
  answerId: string;
  namespaces: ReadonlyMap<string, string>;
  write: WriteEvent;
  output: OutputItem[];
};
type EndStatus = 'completed' | 'incomplete';

const takePiece = (state: State, piece: AnswerPiece): void => {
  if (piece.value === '') return;
  switch (piece.case) {
    case 'text':
    case 'refusal':
      return appendText(state, piece.case, piece.value);
    case 'toolCall':
      return openCall(state, piece.value);
    case 'toolArguments': {
      const call = findOpen(state);
      return call?.type === 'function_call' ? appendArguments(state, call, piece.value) : undefined;
    }
    case 'reasoning':
      return appendReasoning(state, piece.value);
    case 'reasoningSignature':
      return sign(state, piece.value);
    case 'redactedReasoning':
      openReasoning(state).encrypted_content = toEncryptedContent({ redacted: piece.value });
      return end(state, 'completed');
  }
};

const findOpen = ({ output }: State): OutputItem | undefined => {
  const item = output.at(-1);
  return item?.status === 'in_progress' ? item : undefined;
};

const open = <Item extends OutputItem>(state: State, item: Item): Item => {
  end(state, 'completed');
  state.output.push(item);
  state.write('response.output_item.added', { output_index: state.output.length - 1, item });
  return item;
};

const end = (state: State, status: EndStatus): void => {
  const item = findOpen(state);
  if (!item) return;
  endContent(state, item);
  item.status = status;
  state.write('response.output_item.done', { output_index: state.output.length - 1, item });
};

const endContent = (state: State, item: OutputItem): void => {
  if (item.type === 'message') endPart(state, item);
  else if (item.type === 'function_call') endCall(state, item);
  else endSummary(state, item);
};

const idOf = ({ answerId, output }: State, prefix: string): string =>
  `${prefix}_${answerId}_${output.length}`;

/** Returns the members by which an event names the last item. */
const placeOf = ({ output }: State, { id }: OutputItem) => ({
  item_id: id,
  output_index: output.length - 1,
});

const openMessage = (state: State): MessageItem =>
  open(state, {
    id: idOf(state, 'msg'),
    type: 'message',
    status: 'in_progress',
    role: 'assistant',
    content: [],
  });

const appendText = (state: State, kind: 'text' | 'refusal', delta: string): void => {
  const current = findOpen(state);
  const item = current?.type === 'message' ? current : openMessage(state);
  const part = openPart(state, item, kind === 'text' ? 'output_text' : 'refusal');
  const at = partPlaceOf(state, item);
  if (part.type === 'refusal') {
    part.refusal += delta;
    state.write('response.refusal.delta', { ...at, delta });
  } else {
    part.text += delta;
    state.write('response.output_text.delta', { ...at, delta, logprobs: [] });
  }
};

const partPlaceOf = (state: State, item: MessageItem) => ({
  ...placeOf(state, item),
  content_index: item.content.length - 1,
});

/** Returns the last part of a message if it has this type, otherwise a new one. */
const openPart = (state: State, item: MessageItem, type: MessagePart['type']): MessagePart => {
  const last = item.content.at(-1);
  if (last?.type === type) return last;
  endPart(state, item);
  const part: MessagePart =
    type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] };
  item.content.push(part);
  state.write('response.content_part.added', { ...partPlaceOf(state, item), part });
  return part;
};

const endPart = (state: State, item: MessageItem): void => {
  const part = item.content.at(-1);
  if (!part) return;
  const at = partPlaceOf(state, item);
  if (part.type === 'output_text') {
    state.write('response.output_text.done', { ...at, text: part.text, logprobs: [] });
  } else state.write('response.refusal.done', { ...at, refusal: part.refusal });
  state.write('response.content_part.done', { ...at, part });
};

const openCall = (state: State, { id = '', name = '' }: { id?: string; name?: string }): void => {
  const namespace = state.namespaces.get(name);
  const call = { call_id: id, name, ...(namespace !== undefined && { namespace }), arguments: '' };
  open(state, { id: idOf(state, 'fc'), type: 'function_call', status: 'in_progress', ...call });
};

const appendArguments = (state: State, item: CallItem, delta: string): void => {
  item.arguments += delta;
  state.write('response.function_call_arguments.delta', { ...placeOf(state, item), delta });
};

/** Ends a call. Clients parse its arguments, so a call without any has an empty object. */
const endCall = (state: State, item: CallItem): void => {
  if (item.arguments === '') appendArguments(state, item, '{}');
  const { name, arguments: text } = item;
  const members = { ...placeOf(state, item), name, arguments: text };
  state.write('response.function_call_arguments.done', members);
};

const openReasoning = (state: State): ReasoningItem =>
  open(state, {
    id: idOf(state, 'rs'),
    type: 'reasoning',
    status: 'in_progress',
    summary: [],
    encrypted_content: null,
  });

/**
 * Returns the open reasoning, or a new one. Reasoning that is signed takes no more text, because
 * the signature covers what came before.
 */
const unsignedReasoning = (state: State): ReasoningItem => {
  const current = findOpen(state);
  const isUnsigned = current?.type === 'reasoning' && current.encrypted_content === null;
  return isUnsigned ? current : openReasoning(state);
};

const summaryPlaceOf = (state: State, item: ReasoningItem) => ({
  ...placeOf(state, item),
  summary_index: 0,
});

const appendReasoning = (state: State, delta: string): void => {
  const item = unsignedReasoning(state);
  const at = summaryPlaceOf(state, item);
  if (item.summary.length === 0) {
    const part = { type: 'summary_text' as const, text: '' };
    item.summary.push(part);
    state.write('response.reasoning_summary_part.added', { ...at, part });
  }
  item.summary[0]!.text += delta;
  state.write('response.reasoning_summary_text.delta', { ...at, delta });
};

const endSummary = (state: State, item: ReasoningItem): void => {
  const [part] = item.summary;
  if (!part) return;
  const at = summaryPlaceOf(state, item);
  state.write('response.reasoning_summary_text.done', { ...at, text: part.text });
  state.write('response.reasoning_summary_part.done', { ...at, part });
};

const sign = (state: State, signature: string): void => {
  const current = findOpen(state);
  if (current?.type === 'reasoning' && current.encrypted_content !== null) {
    current.encrypted_content += signature;
  } else unsignedReasoning(state).encrypted_content = toEncryptedContent({ signature });
};
