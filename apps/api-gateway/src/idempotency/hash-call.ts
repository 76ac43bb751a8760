import { createHash } from 'node:crypto';

type Call = {
  /**
   * Part of the hash, so that another API key, which may have fewer scopes, never gets the response
   * stored for this one.
   */
  keyId: string;
  method: string;
  url: string;
  source: Uint8Array;
};

/**
 * Returns the SHA-256 in hex of API key, method, path with query, and body. The first three cannot
 * contain a line feed, so the hashed text is unambiguous.
 */
export const hashCall = ({ keyId, method, url, source }: Call): string =>
  createHash('sha256').update(`${keyId}\n${method}\n${url}\n`).update(source).digest('hex');
