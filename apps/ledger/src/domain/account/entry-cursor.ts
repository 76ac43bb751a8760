import { invalidRequest } from '@witan/contracts';

const FORM = /^[1-9]\d{0,15}$/;

/** A position in the book as a text that callers hand back unread. */
export const encodeCursor = (position: number | undefined): string =>
  position === undefined ? '' : Buffer.from(String(position)).toString('base64url');

/** The position of a cursor; undefined for the start. Throws INVALID_REQUEST for any other text. */
export const decodeCursor = (cursor: string): number | undefined => {
  if (cursor === '') return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  // Decoding skips what is not base64url: only what we would write ourselves is ours.
  if (FORM.test(text) && encodeCursor(Number(text)) === cursor) return Number(text);
  throw invalidRequest('The cursor is not one of ours; take nextCursor of the page before.', {
    param: 'cursor',
  });
};
