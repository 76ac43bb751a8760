import type { IncomingMessage } from 'node:http';
import { invalidRequest } from '@witan/contracts';

/**
 * Headers that may occur only once: if a field is repeated, Node uses the first value, but a proxy
 * may use the last.
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['authorization', 'host', 'x-api-key']);

/**
 * Throws INVALID_REQUEST for a request that a proxy may interpret differently: a repeated header
 * that identifies the caller or the host, or a fragment in the request target (RFC 9112, 3.2).
 */
export const checkHead = ({
  rawHeaders,
  url,
}: Pick<IncomingMessage, 'rawHeaders' | 'url'>): void => {
  if (url?.includes('#')) throw invalidRequest('The path must not hold a "#".');
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) throw invalidRequest(`The header ${name} is repeated; send it once.`);
    seen.add(name);
  }
};
