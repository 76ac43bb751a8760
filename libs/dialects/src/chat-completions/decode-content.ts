import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { PartSchema } from '@witan/contracts';
import {
  asObject,
  decodeCacheControl,
  expectOptionalText,
  expectObject,
  expectNonEmpty,
  isAbsent,
} from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { decodeDataUrl, decodeMediaUrl } from '../neutral/decode-media-url.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';

export type PartInit = MessageInitShape<typeof PartSchema>;

type FieldContext = { path: string; dropped: DroppedFields };

/** Types of content parts. Each is also the name of the part's member that has the content. */
export type ContentType = 'text' | 'image_url' | 'input_audio' | 'file' | 'refusal';

/**
 * Decodes message content, a string or a list of parts of the `allowed` types. Throws
 * INVALID_REQUEST with the path of an invalid or unsupported field.
 */
export const decodeContent = (
  content: unknown,
  allowed: readonly ContentType[],
  { path, dropped }: FieldContext,
): PartInit[] => {
  if (typeof content === 'string') return [{ part: { case: 'text', value: { text: content } } }];
  if (!Array.isArray(content)) {
    throw invalidRequest(`${path}: must be a text or a list of parts.`, { param: path });
  }
  return content.map((item: unknown, index) => {
    const context = { path: `${path}[${index}]`, dropped };
    const part = expectObject(item, context.path);
    const type = allowed.find((allowedType) => allowedType === part.type);
    if (!type) {
      throw unsupportedParameter(`${context.path}.type`, 'parts of this type have no place there.');
    }
    dropped.addUnknown(part, ['type', 'cache_control', type], context.path);
    return { part: DECODERS[type](part, context) };
  });
};

type Decode = (part: JsonObject, context: FieldContext) => PartInit['part'];

const decodeTextOf =
  (type: 'text' | 'refusal'): Decode =>
  (part, { path }) => ({
    case: type,
    value: {
      text: expectOptionalText(part[type], `${path}.${type}`),
      cacheControl: decodeCacheControl(part, path),
    },
  });

const decodeImage: Decode = (part, { path, dropped }) => {
  const memberPath = `${path}.image_url`;
  const image =
    typeof part.image_url === 'string'
      ? { url: part.image_url }
      : expectObject(part.image_url, memberPath);
  dropped.addUnknown(image, ['url', 'detail'], memberPath);
  return {
    case: 'image',
    value: {
      media: decodeMediaUrl(expectNonEmpty(image.url, `${memberPath}.url`), `${memberPath}.url`),
      detail: expectOptionalText(asObject(image)?.detail, `${memberPath}.detail`),
      cacheControl: decodeCacheControl(part, path),
    },
  };
};

const decodeFile: Decode = (part, { path, dropped }) => {
  const memberPath = `${path}.file`;
  const file = expectObject(part.file, memberPath);
  if (!isAbsent(file.file_id)) {
    const reason = 'files that were uploaded to a provider are known to that one only.';
    throw unsupportedParameter(`${memberPath}.file_id`, reason);
  }
  dropped.addUnknown(file, ['file_data', 'filename'], memberPath);
  return {
    case: 'document',
    value: {
      media: decodeDataUrl(
        expectNonEmpty(file.file_data, `${memberPath}.file_data`),
        `${memberPath}.file_data`,
      ),
      name: expectOptionalText(file.filename, `${memberPath}.filename`),
      cacheControl: decodeCacheControl(part, path),
    },
  };
};

const decodeAudio: Decode = (part, { path, dropped }) => {
  const memberPath = `${path}.input_audio`;
  const audio = expectObject(part.input_audio, memberPath);
  dropped.addUnknown(audio, ['data', 'format'], memberPath);
  return {
    case: 'audio',
    value: {
      format: expectNonEmpty(audio.format, `${memberPath}.format`),
      base64: expectNonEmpty(audio.data, `${memberPath}.data`),
    },
  };
};

const DECODERS: Readonly<Record<ContentType, Decode>> = {
  text: decodeTextOf('text'),
  image_url: decodeImage,
  input_audio: decodeAudio,
  file: decodeFile,
  refusal: decodeTextOf('refusal'),
};
