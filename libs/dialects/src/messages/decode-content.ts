import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { PartSchema } from '@witan/contracts';
import type { Media, Part, TextPart } from '@witan/contracts';
import {
  expectList,
  expectOptionalText,
  expectOptionalObject,
  expectFlag,
  expectObject,
  expectText,
  isAbsent,
  decodeCacheControl,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';

type PartInit = NonNullable<MessageInitShape<typeof PartSchema>['part']>;
type Decode = (block: JsonObject, path: string, dropped: DroppedFields) => PartInit;

/**
 * Members of each block type that the decoder reads or refuses. All other members are dropped and
 * reported as dropped.
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control'],
  image: ['type', 'source', 'cache_control'],
  document: ['type', 'source', 'title', 'context', 'citations', 'cache_control'],
  tool_use: ['type', 'id', 'name', 'input', 'caller', 'toolset_name', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'toolset_name', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
};

const RESULT_TYPES: readonly string[] = ['text', 'image', 'document'];

/**
 * Decodes the content of a message or tool result. Empty texts are omitted. Throws INVALID_REQUEST
 * with the path of a block that is invalid or has no equivalent in other dialects.
 */
export const decodeContent = (
  content: unknown,
  path: string,
  dropped: DroppedFields,
  types: readonly string[] = Object.keys(KNOWN),
): Part[] => {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  return expectList(content, path).flatMap((item, position) => {
    const blockPath = `${path}[${position}]`;
    const block = expectObject(item, blockPath);
    const type = expectText(block.type, `${blockPath}.type`);
    const decode = types.includes(type) ? DECODERS[type] : undefined;
    if (!decode) {
      throw unsupportedParameter(
        `${blockPath}.type`,
        `${type} blocks exist in the messages dialect only.`,
      );
    }
    dropped.addUnknown(block, KNOWN[type] ?? [], blockPath);
    const part = decode(block, blockPath, dropped);
    const isEmpty = part.case === 'text' && part.value.text === '';
    return isEmpty ? [] : [create(PartSchema, { part })];
  });
};

export const decodeTexts = (content: unknown, path: string, dropped: DroppedFields): TextPart[] =>
  decodeContent(content, path, dropped, ['text']).flatMap(({ part }) =>
    part.case === 'text' ? [part.value] : [],
  );

const textPart = (text: string): Part =>
  create(PartSchema, { part: { case: 'text', value: { text } } });

const decodeImage: Decode = (block, path, dropped) => {
  const media = decodeMedia(block.source, `${path}.source`, dropped);
  return { case: 'image', value: { media, cacheControl: decodeCacheControl(block, path) } };
};

const decodeDocument: Decode = (block, path, dropped) => {
  const { citations, context, title } = block;
  const requested = expectOptionalObject(citations, `${path}.citations`);
  if (requested.enabled === true) {
    throw unsupportedParameter(`${path}.citations`, 'Answers cannot cite in another dialect.');
  }
  dropped.addUnknown(requested, ['enabled'], `${path}.citations`);
  if (!isAbsent(context) && context !== '') {
    throw unsupportedParameter(`${path}.context`, 'Documents have no context in another dialect.');
  }
  const media = decodeMedia(block.source, `${path}.source`, dropped);
  const name = expectOptionalText(title, `${path}.title`);
  return {
    case: 'document',
    value: { media, name, cacheControl: decodeCacheControl(block, path) },
  };
};

type MediaInit = Omit<Media, '$typeName' | '$unknown'>;

const SOURCE_MEMBERS: readonly string[] = ['type', 'media_type', 'data', 'url', 'content'];

const decodeMedia = (value: unknown, path: string, dropped: DroppedFields): MediaInit => {
  const source = expectObject(value, path);
  dropped.addUnknown(source, SOURCE_MEMBERS, path);
  const mediaType = expectOptionalText(source.media_type, `${path}.media_type`);
  switch (source.type) {
    case 'base64':
      return {
        mediaType,
        source: { case: 'base64', value: expectText(source.data, `${path}.data`) },
      };
    case 'text':
      return {
        mediaType,
        source: { case: 'text', value: expectText(source.data, `${path}.data`) },
      };
    case 'url':
      return { mediaType, source: { case: 'url', value: expectText(source.url, `${path}.url`) } };
    case 'content':
      return {
        mediaType: 'text/plain',
        source: { case: 'text', value: sourceText(source, path, dropped) },
      };
    default:
      throw unsupportedParameter(
        `${path}.type`,
        'Such a source can be read by its own provider only.',
      );
  }
};

const sourceText = ({ content }: JsonObject, path: string, dropped: DroppedFields): string => {
  if (typeof content === 'string') return content;
  return expectList(content, `${path}.content`)
    .map((item, position) => {
      const blockPath = `${path}.content[${position}]`;
      const block = expectObject(item, blockPath);
      if (block.type === 'text') {
        dropped.addUnknown(block, ['type', 'text'], blockPath);
        return expectText(block.text, `${blockPath}.text`);
      }
      throw unsupportedParameter(
        `${blockPath}.type`,
        'Documents in another dialect hold text alone.',
      );
    })
    .join('\n\n');
};

const decodeToolUse: Decode = (block, path, dropped) => {
  refuseProviderTools(block, path, dropped);
  return {
    case: 'toolCall',
    value: {
      id: expectText(block.id, `${path}.id`),
      name: expectText(block.name, `${path}.name`),
      arguments: JSON.stringify(block.input ?? {}),
      cacheControl: decodeCacheControl(block, path),
    },
  };
};

const decodeToolResult: Decode = (block, path, dropped) => {
  refuseProviderTools(block, path, dropped);
  const { content } = block;
  return {
    case: 'toolResult',
    value: {
      toolCallId: expectText(block.tool_use_id, `${path}.tool_use_id`),
      parts: isAbsent(content)
        ? []
        : decodeContent(content, `${path}.content`, dropped, RESULT_TYPES),
      isError: expectFlag(block.is_error, `${path}.is_error`) ?? false,
      cacheControl: decodeCacheControl(block, path),
    },
  };
};

const refuseProviderTools: (...args: Parameters<Decode>) => void = (
  { caller, toolset_name: toolset },
  path,
  dropped,
) => {
  if (!isAbsent(caller)) {
    const callerObject = expectObject(caller, `${path}.caller`);
    if (callerObject.type !== 'direct') {
      throw unsupportedParameter(`${path}.caller`, 'The call was made by a tool of the provider.');
    }
    dropped.addUnknown(callerObject, ['type'], `${path}.caller`);
  }
  if (!isAbsent(toolset)) {
    throw unsupportedParameter(`${path}.toolset_name`, 'Toolsets belong to their own provider.');
  }
};

const DECODERS: Readonly<Record<string, Decode>> = {
  text: (block, path) => ({
    case: 'text',
    value: {
      text: expectText(block.text, `${path}.text`),
      cacheControl: decodeCacheControl(block, path),
    },
  }),
  image: decodeImage,
  document: decodeDocument,
  tool_use: decodeToolUse,
  tool_result: decodeToolResult,
  thinking: (block, path) => ({
    case: 'reasoning',
    value: {
      text: expectText(block.thinking, `${path}.thinking`),
      signature: expectOptionalText(block.signature, `${path}.signature`),
    },
  }),
  redacted_thinking: (block, path) => ({
    case: 'reasoning',
    value: { redacted: expectText(block.data, `${path}.data`) },
  }),
};
