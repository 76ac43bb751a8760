import { ValidationError } from '../http/validation-error.ts';
import type { JsonSchema, RouteCall } from '../http/route.ts';
import { closedObject, text } from '../http/schema.ts';
import type { ClosedObject } from '../http/schema.ts';

export type ListPage = { limit: number; cursor: string };

const LIST_DEFAULT = 100;
const LIST_MAX = 500;

export const PAGE_QUERY: Readonly<Record<string, JsonSchema>> = {
  limit: { type: 'integer', minimum: 1, maximum: LIST_MAX },
  cursor: {
    type: 'string',
    description: '`nextCursor` of the page before; empty: from the beginning',
  },
};

export const pageSchema = <const N extends string, const I extends JsonSchema>(
  name: N,
  items: I,
): ClosedObject<Record<N, { type: 'array'; items: I }>, { nextCursor: { type: 'string' } }> =>
  closedObject({ [name]: { type: 'array', items } } as Record<N, { type: 'array'; items: I }>, {
    nextCursor: { ...text, description: 'Present when there is more' },
  });

export const readPage = (
  { query }: Pick<RouteCall, 'query'>,
  isCursor: (text: string) => boolean,
): ListPage => {
  const { limit = LIST_DEFAULT, cursor } = query as Partial<ListPage>;
  if (cursor && !isCursor(cursor)) {
    throw unknownCursor();
  }
  return { limit, cursor: cursor ?? '' };
};

export const unknownCursor = (): ValidationError =>
  new ValidationError([{ path: 'cursor', message: 'is not one that a list answered' }]);
