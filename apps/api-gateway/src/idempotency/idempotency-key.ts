import { createHash } from 'node:crypto';
import { invalidRequest } from '@witan/contracts';

const KEY_LENGTH_MAX = 255;

/** Matches a control character, which would garble logs and tables. */
const CONTROL = /\p{Cc}/u;

export const parseIdempotencyKey = (text: string): string => {
  const fits = text.length > 0 && text.length <= KEY_LENGTH_MAX && !CONTROL.test(text);
  if (fits) return text;
  throw invalidRequest(
    `Idempotency-Key must have 1 to ${KEY_LENGTH_MAX} characters, and no control characters.`,
    { param: 'Idempotency-Key' },
  );
};

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
