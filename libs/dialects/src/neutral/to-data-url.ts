import { invalidRequest } from '@witan/contracts';
import type { Media } from '@witan/contracts';

/** Returns base64 media as a data URL (RFC 2397). Throws INVALID_REQUEST for other media. */
export const toDataUrl = (media: Media | undefined, path: string): string => {
  if (media?.source.case !== 'base64' || media.mediaType === '') {
    const message = `${path}.source: must hold base64 and its media type.`;
    throw invalidRequest(message, { param: `${path}.source` });
  }
  return `data:${media.mediaType};base64,${media.source.value}`;
};
