import type { AnswerLeaf, JsonObject, LeafPath, Slot } from '../dialect.ts';
import { asNumber, asObject } from '../json/lenient.ts';
import { valueAt } from '../json/value-at.ts';

const TEXT: AnswerLeaf = { form: 'text' };

/** `content[0].key...` of a Message, or the words of an error. */
export const findAnswerLeaf = (path: LeafPath, body: JsonObject): AnswerLeaf | undefined => {
  if (path[0] === 'content' && typeof path[1] === 'number') return findBlockLeaf(path, 2, body);
  return findOtherLeaf(path);
};

/** `delta.key` of an event, or a block that came with words. */
export const findFrameLeaf = (path: LeafPath, event: JsonObject): AnswerLeaf | undefined => {
  const index = asNumber(event.index) ?? 0;
  switch (path[0]) {
    case 'content_block': {
      const leaf = findBlockLeaf(path, 1, event);
      return leaf && path[1] === 'text' ? { ...leaf, slot: { index, field: 'text' } } : leaf;
    }
    case 'message':
      return findAnswerLeaf(path.slice(1), asObject(event.message) ?? {});
    case 'delta':
      return findDeltaLeaf(path, index);
    default:
      return findOtherLeaf(path);
  }
};

const findDeltaLeaf = (path: LeafPath, index: number): AnswerLeaf | undefined => {
  switch (path[1]) {
    case 'text':
      return { form: 'text', slot: { index, field: 'text' } };
    case 'partial_json':
      return { form: 'json', slot: { index, field: 'partial_json' } };
    case 'citation':
      return findCitationLeaf(path);
    case 'stop_sequence':
      return TEXT;
    default:
      return undefined;
  }
};

/** A leaf of the block at `path[at - 1]`. Thinking and seals are not among them. */
const findBlockLeaf = (path: LeafPath, at: number, root: JsonObject): AnswerLeaf | undefined => {
  switch (path[at]) {
    case 'text':
      return asObject(valueAt(root, path, at))?.type === 'text' ? TEXT : undefined;
    case 'input':
      return { form: 'value' };
    case 'citations':
      return findCitationLeaf(path);
    default:
      return undefined;
  }
};

const QUOTED = new Set<unknown>(['cited_text', 'document_title', 'title']);

const findCitationLeaf = (path: LeafPath): AnswerLeaf | undefined =>
  QUOTED.has(path.at(-1)) ? TEXT : undefined;

const findOtherLeaf = (path: LeafPath): AnswerLeaf | undefined => {
  const isError = path[0] === 'error' && path[1] === 'message';
  return isError || path[0] === 'stop_sequence' ? TEXT : undefined;
};

/** A block ends with its stop, and everything with the message. */
export const endsSlot = (event: JsonObject, { index }: Slot): boolean => {
  switch (event.type) {
    case 'content_block_stop':
      return (asNumber(event.index) ?? 0) === index;
    case 'message_delta':
    case 'message_stop':
    case 'error':
      return true;
    default:
      return false;
  }
};

/** A delta of the slot's block. */
export const encodeSlot = (
  _event: JsonObject | undefined,
  { index, field }: Slot,
  words: string,
): string => {
  const type = field === 'text' ? 'text_delta' : 'input_json_delta';
  const data = { type: 'content_block_delta', index, delta: { type, [field]: words } };
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
};
