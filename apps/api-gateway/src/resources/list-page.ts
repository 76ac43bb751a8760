import { ValidationError } from '../http/encode-native-error.ts';
import type { JsonSchema, RouteCall } from '../http/route.ts';
import { closedObject, text } from '../http/schema.ts';
import type { ClosedObject } from '../http/schema.ts';

export type ListPage = { limit: number; cursor: string };

const LIST_DEFAULT = 100;
const LIST_MAX = 500;

export const PAGE_QUERY = {
  limit: { type: 'integer', minimum: 1, maximum: LIST_MAX },
  cursor: {
    type: 'string',
    description: '`nextCursor` of the page before; empty: from the beginning',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const readLimit = ({ limit = LIST_DEFAULT }: { limit?: number }): number => limit;

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
  const { cursor } = query as Partial<ListPage>;
  if (cursor && !isCursor(cursor)) {
    throw unknownCursor();
  }
  return { limit: readLimit(query), cursor: cursor ?? '' };
};

export const unknownCursor = (): ValidationError =>
  new ValidationError([{ path: 'cursor', message: 'is not one that a list answered' }]);
