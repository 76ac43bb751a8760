import type { Dispatcher } from 'undici';
import { OutboundError } from './outbound-error.ts';

export type OversizedBody = 'truncate' | 'fail';

/**
 * Reads at most `bytesMax` bytes. If the body is longer, destroys the connection, because the body
 * may be endless, and throws OutboundError `response_too_large` if `oversizedBody` is `fail`.
 */
export const readBody = async (
  body: Dispatcher.ResponseData['body'],
  { bytesMax, oversizedBody }: { bytesMax: number; oversizedBody: OversizedBody },
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving this loop before the end of the body destroys the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  if (bytes > bytesMax && oversizedBody === 'fail') {
    throw new OutboundError(
      'response_too_large',
      `The response is longer than ${bytesMax} bytes; send a shorter one.`,
    );
  }
  return Buffer.concat(chunks, Math.min(bytes, bytesMax));
};
