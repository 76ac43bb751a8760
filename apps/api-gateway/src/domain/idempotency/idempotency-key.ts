import { invalidRequest } from '@witan/contracts';

/** Longest `Idempotency-Key`, in characters. */
const KEY_LENGTH_MAX = 255;

/** What no client means, and what would garble a log or a table: C0, DEL and C1. */
const CONTROL = /\p{Cc}/u;

/** The key as a client sent it: 1 to 255 characters, none a control. Throws INVALID_REQUEST. */
export const parseIdempotencyKey = (text: string): string => {
  const fits = text.length > 0 && text.length <= KEY_LENGTH_MAX && !CONTROL.test(text);
  if (fits) return text;
  throw invalidRequest(
    `Idempotency-Key must have 1 to ${KEY_LENGTH_MAX} characters, and no control characters.`,
    { param: 'Idempotency-Key' },
  );
};
