import { invalidRequest } from '@witan/contracts';
import type { DocumentPart, ImagePart, Media, Part } from '@witan/contracts';
import { unsupportedParameter } from '../neutral/unsupported-parameter.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';

export type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string; detail?: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

export type FieldContext = { path: string; dropped: DroppedFields };

/** File name of a document without a name; OpenAI requires one. */
const UNNAMED_FILE = 'document.pdf';

export const encodeContent = (
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

/** Encodes a document. A text document becomes a text part that begins with the document's name. */
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

const toDataUrl = (media: Media | undefined, path: string): string => {
  if (media?.source.case !== 'base64' || media.mediaType === '') {
    const message = `${path}.source: must hold base64 and its media type.`;
    throw invalidRequest(message, { param: `${path}.source` });
  }
  return `data:${media.mediaType};base64,${media.source.value}`;
};
