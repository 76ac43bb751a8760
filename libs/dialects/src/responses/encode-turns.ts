import type {
  Conversation,
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  ToolResultPart,
  Turn,
} from '@witan/contracts';
import { createToolCallIdConverter } from '../neutral/create-tool-call-id-converter.ts';
import type { ToolCallIdConverter } from '../neutral/create-tool-call-id-converter.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { markError } from '../neutral/mark-error.ts';
import { readResponsesSignature } from '../neutral/provider-signature.ts';
import { toDataUrl } from '../neutral/to-data-url.ts';

/** Rule for call ids: OpenAI accepts any characters, but at most 64. */
const ID_RULE = { pattern: /./su, maxLength: 64 };

type TurnContext = { path: string; dropped: DroppedFields; ids: ToolCallIdConverter };

/**
 * Encodes the turns as items. Adjacent texts and media of a turn become one message. Throws
 * INVALID_REQUEST for unsupported content, and if the last turn is an assistant's, because this
 * dialect cannot continue an answer.
 */
export const encodeTurns = (
  { turns }: Pick<Conversation, 'turns'>,
  dropped: DroppedFields,
): object[] => {
  if (turns.at(-1)?.role === 'assistant') {
    const reason = 'the model would not go on with an answer that was begun for it.';
    throw unsupportedParameter(`messages[${turns.length - 1}].role`, reason);
  }
  const ids = createToolCallIdConverter(turns, ID_RULE);
  return turns.flatMap((turn, index) => {
    ids.startTurn();
    return encodeTurn(turn, { path: `messages[${index}].content`, dropped, ids });
  });
};

type Message = { type: 'message'; role: string; content: object[] };

const encodeTurn = ({ role, parts }: Turn, context: TurnContext): object[] => {
  const items: object[] = [];
  let message: Message | undefined;
  parts.forEach(({ part }, index) => {
    const path = `${context.path}[${index}]`;
    dropCacheControl(part, path, context.dropped);
    const item = encodeItem(part, { ...context, path });
    if (item !== undefined) {
      if (item !== null) items.push(item);
      message = undefined;
      return;
    }
    if (!message) items.push((message = { type: 'message', role, content: [] }));
    message.content.push(encodeContent(part, { path, role }));
  });
  return items;
};

const dropCacheControl = (part: Part['part'], path: string, dropped: DroppedFields): void => {
  if (part.value && 'cacheControl' in part.value && part.value.cacheControl !== '') {
    dropped.add(`${path}.cache_control`);
  }
};

/**
 * Returns the item that a part becomes; undefined for a part that is content of a message; null for
 * a part that is dropped.
 */
const encodeItem = (part: Part['part'], context: TurnContext): object | null | undefined => {
  switch (part.case) {
    case 'toolCall': {
      const { id, name } = part.value;
      // The arguments of earlier calls are parsed, and an empty text would fail.
      const args = part.value.arguments || '{}';
      return { type: 'function_call', call_id: context.ids.forCall(id), name, arguments: args };
    }
    case 'toolResult':
      return encodeResult(part.value, context);
    case 'reasoning':
      return encodeReasoning(part.value, context);
    default:
      return undefined;
  }
};

const encodeResult = (result: ToolResultPart, { path, dropped, ids }: TurnContext): object => {
  const content = result.parts.map(({ part }, index) => {
    const partPath = `${path}.content[${index}]`;
    dropCacheControl(part, partPath, dropped);
    return encodeContent(part, { path: partPath, role: 'user' });
  });
  const isText = content.every(({ type }) => type === 'input_text');
  const text = content.map((part) => ('text' in part ? part.text : '')).join('\n\n');
  const marked = markError(text, result.isError);
  const note = marked === text ? [] : [{ type: 'input_text', text: 'Error' }];
  return {
    type: 'function_call_output',
    call_id: ids.forResult(result.toolCallId),
    output: isText ? marked : [...note, ...content],
  };
};

/**
 * Encodes reasoning that a provider of this dialect encrypted. Other reasoning is dropped and
 * reported, because no provider of this dialect can open it.
 */
const encodeReasoning = (
  { text, signature }: ReasoningPart,
  { path, dropped }: TurnContext,
): object | null => {
  const own = readResponsesSignature(signature);
  if (!own) {
    dropped.add(`${path}.thinking`);
    return null;
  }
  return {
    type: 'reasoning',
    id: own.itemId,
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: own.encryptedContent,
  };
};

type Content =
  | { type: 'input_text' | 'output_text'; text: string }
  | { type: 'refusal'; refusal: string }
  | { type: 'input_image'; image_url: string; detail?: string }
  | { type: 'input_file'; filename?: string; file_url?: string; file_data?: string };

/** File name of a document without a name; OpenAI requires one. */
const UNNAMED_FILE = 'document.pdf';

const encodeContent = (
  part: Part['part'],
  { path, role }: { path: string; role: string },
): Content => {
  const isAssistant = role === 'assistant';
  if (part.case === 'text') {
    return { type: isAssistant ? 'output_text' : 'input_text', text: part.value.text };
  }
  if (part.case === 'refusal' && isAssistant) return { type: 'refusal', refusal: part.value.text };
  if (part.case === 'image' && !isAssistant) return encodeImage(part.value, path);
  if (part.case === 'document' && !isAssistant) return encodeDocument(part.value, path);
  throw unsupportedParameter(`${path}.type`, 'a message of that dialect cannot hold it.');
};

const encodeImage = ({ media, detail }: ImagePart, path: string): Content => ({
  type: 'input_image',
  image_url: media?.source.case === 'url' ? media.source.value : toDataUrl(media, path),
  ...(detail !== '' && { detail }),
});

/** Encodes a document. A text document becomes a text that begins with the document's name. */
const encodeDocument = ({ media, name }: DocumentPart, path: string): Content => {
  if (media?.source.case === 'text') {
    const text = media.source.value;
    return { type: 'input_text', text: name === '' ? text : `${name}\n\n${text}` };
  }
  if (media?.source.case === 'url') {
    return {
      type: 'input_file',
      file_url: media.source.value,
      ...(name !== '' && { filename: name }),
    };
  }
  return { type: 'input_file', filename: name || UNNAMED_FILE, file_data: toDataUrl(media, path) };
};
