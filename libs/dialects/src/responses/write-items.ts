import type { AnswerPiece } from '../dialect.ts';
import { toEncryptedContent } from '../neutral/provider-signature.ts';

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
export const createItemWriter = (answerId: string, write: WriteEvent): ItemWriter => {
  const output: OutputItem[] = [];
  const place = (item: OutputItem) => ({ item_id: item.id, output_index: output.length - 1 });
  const last = (): OutputItem | undefined => {
    const item = output.at(-1);
    return item?.status === 'in_progress' ? item : undefined;
  };
  const open = <Item extends OutputItem>(item: Item): Item => {
    end('completed');
    output.push(item);
    write('response.output_item.added', { output_index: output.length - 1, item });
    return item;
  };
  const idOf = (prefix: string): string => `${prefix}_${answerId}_${output.length}`;
  const openMessage = (): MessageItem =>
    open({
      id: idOf('msg'),
      type: 'message',
      status: 'in_progress',
      role: 'assistant',
      content: [],
    });
  const openReasoning = (): ReasoningItem =>
    open({
      id: idOf('rs'),
      type: 'reasoning',
      status: 'in_progress',
      summary: [],
      encrypted_content: null,
    });

  const closePart = (item: MessageItem): void => {
    const part = item.content.at(-1);
    if (!part) return;
    const at = { ...place(item), content_index: item.content.length - 1 };
    if (part.type === 'output_text') {
      write('response.output_text.done', { ...at, text: part.text, logprobs: [] });
    } else write('response.refusal.done', { ...at, refusal: part.refusal });
    write('response.content_part.done', { ...at, part });
  };
  const closeContent = (item: OutputItem): void => {
    if (item.type === 'message') closePart(item);
    else if (item.type === 'function_call') {
      // Clients parse the arguments, so a call without any has an empty object.
      if (item.arguments === '') appendArguments(item, '{}');
      const members = { name: item.name, arguments: item.arguments };
      write('response.function_call_arguments.done', { ...place(item), ...members });
    } else if (item.summary[0]) {
      const at = { ...place(item), summary_index: 0 };
      write('response.reasoning_summary_text.done', { ...at, text: item.summary[0].text });
      write('response.reasoning_summary_part.done', { ...at, part: item.summary[0] });
    }
  };
  const end = (status: 'completed' | 'incomplete'): void => {
    const item = last();
    if (!item) return;
    closeContent(item);
    item.status = status;
    write('response.output_item.done', { output_index: output.length - 1, item });
  };

  const appendText = (kind: 'text' | 'refusal', delta: string): void => {
    const current = last();
    const item = current?.type === 'message' ? current : openMessage();
    const type = kind === 'text' ? 'output_text' : 'refusal';
    if (item.content.at(-1)?.type !== type) {
      closePart(item);
      const part: MessagePart =
        type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] };
      item.content.push(part);
      const at = { ...place(item), content_index: item.content.length - 1 };
      write('response.content_part.added', { ...at, part });
    }
    const part = item.content.at(-1)!;
    const at = { ...place(item), content_index: item.content.length - 1 };
    if (part.type === 'refusal') {
      part.refusal += delta;
      write('response.refusal.delta', { ...at, delta });
    } else {
      part.text += delta;
      write('response.output_text.delta', { ...at, delta, logprobs: [] });
    }
  };
  const appendArguments = (item: CallItem, delta: string): void => {
    item.arguments += delta;
    write('response.function_call_arguments.delta', { ...place(item), delta });
  };
  /** Reasoning that is signed takes no more text, because the signature covers what came before. */
  const reasoning = (): ReasoningItem => {
    const current = last();
    const isOpen = current?.type === 'reasoning' && current.encrypted_content === null;
    return isOpen ? current : openReasoning();
  };
  const appendReasoning = (delta: string): void => {
    const item = reasoning();
    const at = { ...place(item), summary_index: 0 };
    if (item.summary.length === 0) {
      item.summary.push({ type: 'summary_text', text: '' });
      write('response.reasoning_summary_part.added', { ...at, part: item.summary[0] });
    }
    item.summary[0]!.text += delta;
    write('response.reasoning_summary_text.delta', { ...at, delta });
  };
  const sign = (signature: string): void => {
    const current = last();
    if (current?.type === 'reasoning' && current.encrypted_content !== null) {
      current.encrypted_content += signature;
    } else reasoning().encrypted_content = toEncryptedContent({ signature });
  };

  const take = (piece: AnswerPiece): void => {
    if (piece.value === '') return;
    switch (piece.case) {
      case 'text':
      case 'refusal':
        return appendText(piece.case, piece.value);
      case 'toolCall': {
        const { id = '', name = '' } = piece.value;
        const item = { call_id: id, name, arguments: '' };
        open({ id: idOf('fc'), type: 'function_call', status: 'in_progress', ...item });
        return undefined;
      }
      case 'toolArguments': {
        const call = last();
        return call?.type === 'function_call' ? appendArguments(call, piece.value) : undefined;
      }
      case 'reasoning':
        return appendReasoning(piece.value);
      case 'reasoningSignature':
        return sign(piece.value);
      case 'redactedReasoning':
        openReasoning().encrypted_content = toEncryptedContent({ redacted: piece.value });
        return end('completed');
    }
  };
  return { output, take, end };
};
