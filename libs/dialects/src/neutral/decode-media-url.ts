import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { MediaSchema } from '@witan/contracts';

type MediaInit = MessageInitShape<typeof MediaSchema>;

/** Decodes an http address or a data URL. Throws INVALID_REQUEST with `path` for another text. */
export const decodeMediaUrl = (url: string, path: string): MediaInit => {
  if (/^https?:\/\//i.test(url)) return { source: { case: 'url', value: url } };
  return decodeDataUrl(url, path);
};

const MAX_MEDIA_TYPE_LENGTH = 256;
const DATA_URL_HEAD = /^data:([^;,]+)(?:;[^;,]+)*;base64$/i;

/** Parses a data URL (RFC 2397) with base64 content, which stays encoded. */
export const decodeDataUrl = (url: string, path: string): MediaInit => {
  const comma = url.slice(0, MAX_MEDIA_TYPE_LENGTH).indexOf(',');
  const mediaType = DATA_URL_HEAD.exec(url.slice(0, Math.max(comma, 0)))?.[1];
  if (mediaType !== undefined) {
    return { mediaType, source: { case: 'base64', value: url.slice(comma + 1) } };
  }
  throw invalidRequest(`${path}: must be an http address or a base64 data URL with its type.`, {
    param: path,
  });
};
