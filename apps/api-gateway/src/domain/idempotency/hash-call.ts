import { createHash } from 'node:crypto';

/** What makes two calls the same. */
type Call = {
  /** Id of the API key: what one key was answered is not for another that may do less. */
  keyId: string;
  method: string;
  /** With the query, as it was sent. */
  url: string;
  /** The body's bytes, decompressed. */
  source: Uint8Array;
};

/**
 * SHA-256 in hex over API key, method, path with query, and body. None of the first three can hold
 * a line feed, so no two calls have the same text.
 */
export const hashCall = ({ keyId, method, url, source }: Call): string =>
  createHash('sha256').update(`${keyId}\n${method}\n${url}\n`).update(source).digest('hex');
