import type {
  DocumentPart,
  ImagePart,
  Conversation,
  Part,
  ToolResultPart,
  Turn,
} from '@witan/contracts';
import { createToolCallIdConverter } from '../neutral/create-tool-call-id-converter.ts';
import type { ToolCallIdConverter } from '../neutral/create-tool-call-id-converter.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { markError } from '../neutral/mark-error.ts';
import { toDataUrl } from '../neutral/to-data-url.ts';

/** Rule for tool-call ids: OpenAI accepts any characters, but at most 40. */
const ID_RULE = { pattern: /./su, maxLength: 40 };

/**
 * Encodes the instructions, if any, as one system message, then the turns. Where runtimes accept
 * only a single text, several texts are joined by blank lines. A user's turn becomes one message
 * for each tool result, then one message with the rest, if any. Throws INVALID_REQUEST for
 * unsupported content, and if the last turn is an assistant's, because this dialect cannot continue
 * an answer.
 */
export const encodeTurns = (
  { system, turns }: Pick<Conversation, 'system' | 'turns'>,
  dropped: DroppedFields,
): object[] => {
  if (turns.at(-1)?.role === 'assistant') {
    const reason = 'the model would not go on with an answer that was begun for it.';
    throw unsupportedParameter(`messages[${turns.length - 1}].role`, reason);
  }
  const messages: object[] = [];
  if (system.some(({ cacheControl }) => cacheControl !== '')) dropped.add('system[].cache_control');
  const instructions = joinTexts(system.map(({ text }) => text));
  if (instructions !== '') messages.push({ role: 'system', content: instructions });
  const ids = createToolCallIdConverter(turns, ID_RULE);
  turns.forEach((turn, index) => {
    ids.startTurn();
    const context = { path: `messages[${index}].content`, dropped, ids };
    const encoded =
      turn.role === 'assistant' ? encodeAssistant(turn, context) : encodeUser(turn, context);
    for (const message of encoded) messages.push(message);
  });
  return messages;
};

const joinTexts = (texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join('\n\n');

type TurnContext = FieldContext & { ids: ToolCallIdConverter };

const encodeAssistant = ({ parts }: Turn, { path, dropped, ids }: TurnContext): object[] => {
  const texts: Record<'text' | 'refusal', string[]> = { text: [], refusal: [] };
  const toolCalls: object[] = [];
  parts.forEach(({ part }, index) => {
    const context = { path: `${path}[${index}]`, dropped };
    if (part.case === 'text' || part.case === 'refusal') {
      texts[part.case].push(part.value.text);
      dropCacheControl(part.value, context);
    } else if (part.case === 'toolCall') {
      const { name } = part.value;
      const id = ids.forCall(part.value.id);
      // Runtimes parse the arguments of earlier calls; an empty string would fail, because it is
      // not JSON.
      const calledFunction = { name, arguments: part.value.arguments || '{}' };
      toolCalls.push({ id, type: 'function', function: calledFunction });
      dropCacheControl(part.value, context);
    } else if (part.case === 'reasoning') {
      dropped.add(`${context.path}.thinking`);
    } else {
      throw unsupportedParameter(
        `${context.path}.type`,
        'an assistant of that dialect cannot say it.',
      );
    }
  });
  const text = joinTexts(texts.text);
  const refusal = joinTexts(texts.refusal);
  if (text === '' && refusal === '' && toolCalls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      refusal: refusal === '' ? undefined : refusal,
      tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    },
  ];
};

const dropCacheControl = (
  part: { cacheControl: string },
  { path, dropped }: FieldContext,
): void => {
  if (part.cacheControl !== '') dropped.add(`${path}.cache_control`);
};

const encodeUser = ({ parts }: Turn, { path, dropped, ids }: TurnContext): object[] => {
  const results: object[] = [];
  const resultMedia: ContentPart[] = [];
  const content: ContentPart[] = [];
  parts.forEach((item, index) => {
    const context = { path: `${path}[${index}]`, dropped };
    if (item.part.case === 'toolResult') {
      const toolCallId = ids.forResult(item.part.value.toolCallId);
      const { message, media } = encodeResult({ ...item.part.value, toolCallId }, context);
      results.push(message);
      for (const part of media) resultMedia.push(part);
    } else {
      content.push(encodePart(item, context));
    }
  });
  const encoded = encodeContent([...resultMedia, ...content]);
  return encoded === undefined ? results : [...results, { role: 'user', content: encoded }];
};

/**
 * Encodes a tool result as a tool message, which may contain only text. Media of the result are
 * returned separately, to be sent in the following user message under a line that names the call;
 * the text of the result refers to them.
 */
const encodeResult = (
  result: ToolResultPart,
  context: FieldContext,
): { message: object; media: ContentPart[] } => {
  const texts: string[] = [];
  const media: ContentPart[] = [];
  dropCacheControl(result, context);
  result.parts.forEach((item: Part, index) => {
    const part = encodePart(item, { ...context, path: `${context.path}.content[${index}]` });
    if (part.type === 'text') texts.push(part.text);
    else media.push(part);
  });
  if (media.length > 0) {
    texts.push('[The media of this result follow in the next user message.]');
    const line = `Media of the result of tool call ${result.toolCallId}:`;
    media.unshift({ type: 'text', text: line });
  }
  const message = {
    role: 'tool',
    tool_call_id: result.toolCallId,
    content: markError(joinTexts(texts), result.isError),
  };
  return { message, media };
};

type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string; detail?: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

type FieldContext = { path: string; dropped: DroppedFields };

/** File name of a document without a name; OpenAI requires one. */
const UNNAMED_FILE = 'document.pdf';

const encodeContent = (
  parts: readonly ContentPart[],
): string | readonly ContentPart[] | undefined => {
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text'
    ? first.text
    : parts.length > 0
      ? parts
      : undefined;
};

export const encodePart = ({ part }: Part, { path, dropped }: FieldContext): ContentPart => {
  if (part.value && 'cacheControl' in part.value && part.value.cacheControl !== '') {
    dropped.add(`${path}.cache_control`);
  }
  switch (part.case) {
    case 'text':
      return { type: 'text', text: part.value.text };
    case 'image':
      return encodeImage(part.value, path);
    case 'document':
      return encodeDocument(part.value, path);
    case 'audio': {
      const { base64, format } = part.value;
      return { type: 'input_audio', input_audio: { data: base64, format } };
    }
    default:
      throw unsupportedParameter(`${path}.type`, 'a user of that dialect cannot say it.');
  }
};

const encodeImage = ({ media, detail }: ImagePart, path: string): ContentPart => {
  const url = media?.source.case === 'url' ? media.source.value : toDataUrl(media, path);
  return { type: 'image_url', image_url: { url, ...(detail !== '' && { detail }) } };
};

/**
 * Encodes a document. A text document becomes a text part that begins with the document's name, if
 * it has one.
 */
const encodeDocument = ({ media, name }: DocumentPart, path: string): ContentPart => {
  if (media?.source.case === 'text') {
    const text = media.source.value;
    return { type: 'text', text: name === '' ? text : `${name}\n\n${text}` };
  }
  if (media?.source.case === 'url') {
    const reason = 'files cannot be named by their address there: send the bytes.';
    throw unsupportedParameter(`${path}.source.type`, reason);
  }
  return {
    type: 'file',
    file: { filename: name || UNNAMED_FILE, file_data: toDataUrl(media, path) },
  };
};
