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
