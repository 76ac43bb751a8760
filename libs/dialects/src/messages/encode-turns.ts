import { invalidRequest } from '@witan/contracts';
import type {
  DocumentPart,
  Media,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  ReasoningPart,
  Turn,
} from '@witan/contracts';
import { asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { embedJson } from '../json/parse-exactly.ts';
import { createToolCallIdConverter } from '../neutral/create-tool-call-id-converter.ts';
import type { ToolCallIdConverter } from '../neutral/create-tool-call-id-converter.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { gatherTurns } from '../neutral/gather-turns.ts';
import type { Draft } from '../neutral/gather-turns.ts';
import { isResponsesSignature } from '../neutral/provider-signature.ts';

type Message = { role: string; content: string | JsonObject[] };
type BlockDraft = Draft<JsonObject, string>;

const ID_RULE = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: Infinity };

/**
 * Message that precedes a conversation that begins with the assistant, which only the other dialect
 * allows.
 */
const OPENING: Message = { role: 'user', content: '(The assistant speaks first.)' };

/**
 * Encodes turns as messages. Empty turns are omitted and their neighbours merged. Trailing white
 * space of a final assistant message is removed, because providers refuse it. Throws
 * INVALID_REQUEST if no message remains, or for content that this dialect does not support.
 */
export const encodeTurns = (turns: readonly Turn[], dropped: DroppedFields): Message[] => {
  const context = { ids: createToolCallIdConverter(turns, ID_RULE), dropped };
  const gathered = gatherTurns<JsonObject, string>(({ type }) => type === 'tool_result');
  for (const { role, parts } of turns) {
    context.ids.startTurn();
    gathered.add(role, encodeParts(parts, context));
  }
  trimEnd(gathered.drafts.at(-1));
  const messages = gathered.drafts.map(toMessage);
  if (messages.length === 0) {
    throw invalidRequest('messages: must hold a user message that says something.', {
      param: 'messages',
    });
  }
  return messages[0]?.role === 'assistant' ? [OPENING, ...messages] : messages;
};

const toMessage = ({ role, results, others }: BlockDraft): Message => ({
  role,
  content: toContent([...results, ...others]),
});

const trimEnd = (draft: BlockDraft | undefined): void => {
  const last = draft?.others.at(-1);
  if (draft?.role !== 'assistant' || last?.type !== 'text') return;
  draft.others[draft.others.length - 1] = { ...last, text: asText(last.text).trimEnd() };
};

type ContentContext = { ids: ToolCallIdConverter; dropped: DroppedFields };

/**
 * Encodes parts as content blocks. Blank texts are omitted, because providers refuse them. Throws
 * INVALID_REQUEST for content that this dialect does not support. Errors name fields as in the
 * chat-completions dialect, from which client requests are converted, but without indexes, because
 * the turns differ from the client's messages.
 */
const encodeParts = (parts: readonly Part[], context: ContentContext): JsonObject[] =>
  parts.map((part) => encodePart(part, context)).filter((block) => block !== undefined);

export const toContent = (blocks: JsonObject[]): string | JsonObject[] => {
  const [first] = blocks;
  const isPlain = blocks.length === 1 && first?.type === 'text' && !first.cache_control;
  return isPlain ? (first.text as string) : blocks;
};

export const encodeText = ({ text, cacheControl }: TextPart): JsonObject | undefined =>
  text.trim() === ''
    ? undefined
    : { type: 'text', text, cache_control: encodeCacheControl(cacheControl) };

export const encodeCacheControl = (mark: string): JsonObject | undefined =>
  mark === '' ? undefined : parseObjectAt(mark, 'messages[].content[].cache_control');

export const parseObjectAt = (text: string, path: string): JsonObject => {
  // `asObject` would accept a number, which `JSON.rawJSON` represents as an object; so the text
  // must begin with a brace.
  const object = text.trimStart().startsWith('{') ? asObject(embedJson(text, path)) : undefined;
  if (object) return object;
  throw invalidRequest(`${path}: must be the JSON text of an object.`, { param: path });
};

const encodePart = ({ part }: Part, context: ContentContext): JsonObject | undefined => {
  switch (part.case) {
    case 'text':
    case 'refusal':
      return encodeText(part.value);
    case 'image': {
      const { media, detail, cacheControl } = part.value;
      if (detail !== '' && detail !== 'auto') {
        context.dropped.add('messages[].content[].image_url.detail');
      }
      const source = encodeImageSource(media);
      return { type: 'image', source, cache_control: encodeCacheControl(cacheControl) };
    }
    case 'document':
      return encodeDocument(part.value);
    case 'audio':
      throw unsupportedParameter('messages[].content[].input_audio', 'The model cannot hear.');
    case 'toolCall':
      return encodeToolCall(part.value, context);
    case 'toolResult':
      return encodeToolResult(part.value, context);
    case 'reasoning':
      return encodeReasoning(part.value, context);
    case undefined:
      return undefined;
  }
};

const IMAGE = 'messages[].content[].image_url';

const encodeImageSource = (media: Media | undefined): JsonObject => {
  const { mediaType = '', source } = media ?? {};
  if (source?.case === 'url') return { type: 'url', url: source.value };
  if (source?.case === 'base64' && mediaType !== '') {
    return { type: 'base64', media_type: mediaType, data: source.value };
  }
  throw invalidRequest(`${IMAGE}: needs a URL, or base64 data and its media type.`, {
    param: IMAGE,
  });
};

const encodeDocument = ({ media, name, cacheControl }: DocumentPart): JsonObject => ({
  type: 'document',
  source: encodeDocumentSource(media),
  title: name || undefined,
  cache_control: encodeCacheControl(cacheControl),
});

const PDF = 'application/pdf';

const FILE = 'messages[].content[].file';

const encodeDocumentSource = (media: Media | undefined): JsonObject => {
  const { mediaType = '', source } = media ?? {};
  if (source?.case === 'url') return { type: 'url', url: source.value };
  if (source?.case === 'text')
    return { type: 'text', media_type: 'text/plain', data: source.value };
  if (source?.case === 'base64' && mediaType === PDF) {
    return { type: 'base64', media_type: PDF, data: source.value };
  }
  if (source?.case === 'base64' && /^text\/|^application\/json$/.test(mediaType)) {
    return { type: 'text', media_type: 'text/plain', data: decodeUtf8(source.value) };
  }
  throw unsupportedParameter(FILE, 'The model reads PDF and text documents only.');
};

const decodeUtf8 = (base64: string): string => {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest(`${FILE}: the data must be base64 of UTF-8 text.`, { param: FILE });
  }
};

const ARGUMENTS = 'messages[].tool_calls[].function.arguments';

const encodeToolCall = (call: ToolCallPart, { ids }: ContentContext): JsonObject => ({
  type: 'tool_use',
  id: ids.forCall(call.id),
  name: call.name,
  input: call.arguments.trim() === '' ? {} : parseObjectAt(call.arguments, ARGUMENTS),
  cache_control: encodeCacheControl(call.cacheControl),
});

const encodeToolResult = (result: ToolResultPart, context: ContentContext): JsonObject => {
  const blocks = encodeParts(result.parts, context);
  return {
    type: 'tool_result',
    tool_use_id: context.ids.forResult(result.toolCallId),
    content: blocks.length === 0 ? undefined : toContent(blocks),
    is_error: result.isError || undefined,
    cache_control: encodeCacheControl(result.cacheControl),
  };
};

/**
 * Encodes reasoning that a provider of this dialect has signed. Other reasoning is dropped and
 * reported, because providers refuse it.
 */
const encodeReasoning = (
  { text, signature, redacted }: ReasoningPart,
  { dropped }: ContentContext,
): JsonObject | undefined => {
  if (redacted !== '') return { type: 'redacted_thinking', data: redacted };
  if (signature !== '' && !isResponsesSignature(signature)) {
    return { type: 'thinking', thinking: text, signature };
  }
  dropped.add('messages[].reasoning_content');
  return undefined;
};
