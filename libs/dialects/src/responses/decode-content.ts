import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { PartSchema } from '@witan/contracts';
import { expectNonEmpty, expectObject, expectOptionalText, isAbsent } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { decodeDataUrl, decodeMediaUrl } from '../neutral/decode-media-url.ts';
import { unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';

export type PartInit = MessageInitShape<typeof PartSchema>;

export type FieldContext = { path: string; dropped: DroppedFields };

/**
 * Decodes the content of an item, a string or a list of parts. Throws INVALID_REQUEST with the path
 * of an invalid or unsupported field.
 */
export const decodeContent = (
  content: unknown,
  allowed: ReadonlySet<string>,
  { path, dropped }: FieldContext,
): PartInit[] => {
  if (typeof content === 'string') return [{ part: { case: 'text', value: { text: content } } }];
  if (!Array.isArray(content)) {
    throw invalidRequest(`${path}: must be a text or a list of parts.`, { param: path });
  }
  return content.map((item: unknown, index) => {
    const context = { path: `${path}[${index}]`, dropped };
    const part = expectObject(item, context.path);
    const decode = DECODERS.get(part.type);
    if (!decode || !allowed.has(String(part.type))) {
      throw unsupportedParameter(`${context.path}.type`, 'parts of this type have no place there.');
    }
    return { part: decode(part, context) };
  });
};

export const INPUT_TYPES: ReadonlySet<string> = new Set([
  ...['input_text', 'text', 'output_text', 'input_image', 'input_file', 'input_audio'],
]);
export const OUTPUT_TYPES: ReadonlySet<string> = new Set([
  ...['output_text', 'input_text', 'text', 'refusal'],
]);
export const INSTRUCTION_TYPES: ReadonlySet<string> = new Set(['input_text', 'text']);

type Decode = (part: JsonObject, context: FieldContext) => PartInit['part'];

/** Members of an output text that only its provider can interpret. */
const TEXT_MEMBERS = ['type', 'text', 'annotations', 'logprobs', 'prompt_cache_breakpoint'];

const decodeText: Decode = (part, { path, dropped }) => {
  dropped.addUnknown(part, TEXT_MEMBERS, path);
  return { case: 'text', value: { text: expectOptionalText(part.text, `${path}.text`) } };
};

const decodeRefusal: Decode = (part, { path, dropped }) => {
  dropped.addUnknown(part, ['type', 'refusal'], path);
  return { case: 'refusal', value: { text: expectOptionalText(part.refusal, `${path}.refusal`) } };
};

const FILE_ID_REASON = 'files that were uploaded to a provider are known to that one only.';

const decodeImage: Decode = (part, { path, dropped }) => {
  if (!isAbsent(part.file_id)) throw unsupportedParameter(`${path}.file_id`, FILE_ID_REASON);
  dropped.addUnknown(part, ['type', 'image_url', 'detail', 'prompt_cache_breakpoint'], path);
  const url = expectNonEmpty(part.image_url, `${path}.image_url`);
  const detail = expectOptionalText(part.detail, `${path}.detail`);
  return {
    case: 'image',
    value: {
      media: decodeMediaUrl(url, `${path}.image_url`),
      // The SDK's type requires a detail; in the other dialects the default is no member.
      detail: detail === 'auto' ? '' : detail,
    },
  };
};

const FILE_MEMBERS = ['type', 'file_data', 'file_url', 'filename', 'prompt_cache_breakpoint'];

const decodeFile: Decode = (part, { path, dropped }) => {
  if (!isAbsent(part.file_id)) throw unsupportedParameter(`${path}.file_id`, FILE_ID_REASON);
  dropped.addUnknown(part, FILE_MEMBERS, path);
  const media = isAbsent(part.file_url)
    ? decodeDataUrl(expectNonEmpty(part.file_data, `${path}.file_data`), `${path}.file_data`)
    : decodeMediaUrl(expectNonEmpty(part.file_url, `${path}.file_url`), `${path}.file_url`);
  return {
    case: 'document',
    value: { media, name: expectOptionalText(part.filename, `${path}.filename`) },
  };
};

const decodeAudio: Decode = (part, { path, dropped }) => {
  const memberPath = `${path}.input_audio`;
  const audio = expectObject(part.input_audio, memberPath);
  dropped.addUnknown(part, ['type', 'input_audio'], path);
  return {
    case: 'audio',
    value: {
      format: expectNonEmpty(audio.format, `${memberPath}.format`),
      base64: expectNonEmpty(audio.data, `${memberPath}.data`),
    },
  };
};

const DECODERS: ReadonlyMap<unknown, Decode> = new Map([
  ['input_text', decodeText],
  ['output_text', decodeText],
  ['text', decodeText],
  ['refusal', decodeRefusal],
  ['input_image', decodeImage],
  ['input_file', decodeFile],
  ['input_audio', decodeAudio],
]);
