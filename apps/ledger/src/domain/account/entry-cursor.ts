import { invalidRequest } from '@witan/contracts';

const FORM = /^[1-9]\d{0,15}$/;

/** Encodes a position among an account's entries as an opaque text. */
export const encodeCursor = (position: number | undefined): string =>
  position === undefined ? '' : Buffer.from(String(position)).toString('base64url');

/** Returns a cursor's position, undefined for the start. Throws INVALID_REQUEST for other texts. */
export const decodeCursor = (cursor: string): number | undefined => {
  if (cursor === '') return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  // Node's decoder skips characters that are not base64url, so the cursor is encoded and compared.
  if (FORM.test(text) && encodeCursor(Number(text)) === cursor) return Number(text);
  throw invalidRequest('The cursor is not one of ours; take nextCursor of the page before.', {
    param: 'cursor',
  });
};
