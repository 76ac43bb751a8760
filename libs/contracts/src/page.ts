import { invalidRequest } from './errors.ts';

/** Request for a page of a list; `cursor` is the `nextCursor` of the previous page, or empty. */
export type PageRequest = { limit: number; cursor: string };

/** Query of a store for a page; `after` is the id of the last item of the previous page. */
export type PageQuery = { limit: number; after?: string };

/** Page of a list; `nextCursor` is empty on the last page. */
export type Page<T> = { items: T[]; nextCursor: string };

const LIMIT_MAX = 500;

/** Throws INVALID_REQUEST unless `limit` is from 1 to 500. */
export const checkLimit = (limit: number): void => {
  if (limit >= 1 && limit <= LIMIT_MAX) return;
  throw invalidRequest(`limit must be from 1 to ${LIMIT_MAX}.`, { param: 'limit' });
};

/**
 * Reads a page with `read`, which is asked for one more item than the page has: the additional item
 * shows that there is a next page. Throws INVALID_REQUEST before reading if the limit is invalid.
 */
export const readPage = async <T extends { id: string }>(
  { limit, cursor }: PageRequest,
  read: (query: PageQuery) => Promise<T[]>,
): Promise<Page<T>> => {
  checkLimit(limit);
  const found = await read({ limit: limit + 1, ...(cursor === '' ? {} : { after: cursor }) });
  const items = found.slice(0, limit);
  return { items, nextCursor: found.length > limit ? items.at(-1)!.id : '' };
};
