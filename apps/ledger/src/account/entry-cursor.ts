import { invalidRequest } from '@witan/contracts';

const CURSOR_PATTERN = /^[1-9]\d{0,15}$/;

export const encodeCursor = (position: number | undefined): string =>
  position === undefined ? '' : Buffer.from(String(position)).toString('base64url');

/**
 * Returns the entry position that a page cursor encodes, or undefined for the empty cursor of the
 * first page. Throws INVALID_REQUEST if the cursor is not valid.
 */
export const decodeCursor = (cursor: string): number | undefined => {
  if (cursor === '') return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  // Node's decoder skips characters that are not base64url, so the number is encoded again and
  // compared with the cursor.
  if (CURSOR_PATTERN.test(text) && encodeCursor(Number(text)) === cursor) return Number(text);
  throw invalidRequest('The cursor is not one of ours; take nextCursor of the page before.', {
    param: 'cursor',
  });
};
