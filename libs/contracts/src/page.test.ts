import { describe, expect, it } from '@jest/globals';
import { readPage } from './page.ts';
import type { PageQuery } from './page.ts';

const ITEMS = ['a', 'b', 'c'].map((id) => ({ id }));
const read = async ({ limit, after }: PageQuery) => {
  const start = after === undefined ? 0 : ITEMS.findIndex(({ id }) => id === after) + 1;
  return ITEMS.slice(start, start + limit);
};

describe('readPage', () => {
  it('returns pages whose cursors lead to the last one', async () => {
    const first = await readPage({ limit: 2, cursor: '' }, read);
    expect(first).toEqual({ items: [{ id: 'a' }, { id: 'b' }], nextCursor: 'b' });
    const last = await readPage({ limit: 2, cursor: first.nextCursor }, read);
    expect(last).toEqual({ items: [{ id: 'c' }], nextCursor: '' });
  });

  it('returns no cursor for a page that ends with the last item', async () => {
    expect(await readPage({ limit: 3, cursor: '' }, read)).toEqual({
      items: ITEMS,
      nextCursor: '',
    });
  });

  it.each([0, 501, -1])('refuses the limit %d before it reads', async (limit) => {
    const readNothing = async (): Promise<never> => {
      throw new Error('read');
    };
    const refused = readPage({ limit, cursor: '' }, readNothing);
    await expect(refused).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
  });
});
