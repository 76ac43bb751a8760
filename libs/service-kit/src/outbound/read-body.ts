import type { Dispatcher } from 'undici';
import { OutboundError } from './outbound-error.ts';

/** What happens to an answer that is longer than it may be: the rest is dropped, or it fails. */
export type OversizedBody = 'truncate' | 'fail';

/**
 * Reads at most `bytesMax` bytes. Longer bodies break the connection instead of being read away:
 * they may have no end. Throws OutboundError `response_too_large` when `oversizedBody` is `fail`.
 */
export const readBody = async (
  body: Dispatcher.ResponseData['body'],
  { bytesMax, oversizedBody }: { bytesMax: number; oversizedBody: OversizedBody },
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early destroys the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  if (bytes > bytesMax && oversizedBody === 'fail') {
    throw new OutboundError(
      'response_too_large',
      `The answer is longer than ${bytesMax} bytes; answer with less.`,
    );
  }
  return Buffer.concat(chunks, Math.min(bytes, bytesMax));
};
