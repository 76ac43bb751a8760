import { describe, expect, it } from '@jest/globals';
import type { RouteCall } from '../../http/route.ts';
import type { StoredResponse } from '../../stored-response/stored-response.ts';
import { storedResponseRoutes } from './stored-responses.ts';

const ID = 'resp_0123456789abcdefghijAB';

const call = (
  operation: string,
  stored: Partial<StoredResponse>,
  { query = {}, scopes = ['gateway'] }: { query?: object; scopes?: string[] } = {},
) => {
  const found: StoredResponse = {
    modules: [],
    ...{ id: ID, previousId: '', proofId: 'pf_1', input: [], response: {}, isLocal: false },
    ...stored,
  };
  const store = {
    find: async (_workspaceId: string, id: string) => (id === ID ? found : undefined),
    findInput: async () => found.input,
    remove: async (_workspaceId: string, id: string) => id === ID,
  };
  const routes = storedResponseRoutes(store, async () => {});
  const route = routes.find(({ id }) => id === operation)!;
  return async (id = ID) => {
    const principal = { workspaceId: 'ws_a', scopes };
    const reply = await route.handle({ params: { id }, query, principal } as unknown as RouteCall);
    return reply && 'text' in reply ? { ...reply, json: JSON.parse(reply.text) as unknown } : reply;
  };
};
const queued = { response: { id: ID, status: 'queued', output: [] } };

describe('a stored response', () => {
  it('is read with the id of its certificate', async () => {
    expect(await call('getResponse', { ...queued, proofId: 'pf_1f2' })()).toMatchObject({
      json: queued.response,
      headers: { 'x-service-proof': 'pf_1f2' },
    });
  });

  it.each(['getResponse', 'deleteResponse', 'listResponseInputItems'])(
    'is not found by %s under another id, or one of another form',
    async (operation) => {
      for (const id of ['resp_0123456789abcdefghijZZ', 'resp_x\0', '', 'pf_1']) {
        await expect(call(operation, queued)(id)).rejects.toMatchObject({
          reason: 'NOT_FOUND',
          fields: { code: 'response_not_found', param: 'id' },
        });
      }
    },
  );

  it.each(['getResponse', 'deleteResponse', 'listResponseInputItems'])(
    'needs for %s the scopes of the addresses that made it',
    async (operation) => {
      const stored = { ...queued, modules: ['agents', 'knowledge'] as const };
      const scopes = ['gateway', 'agents'];
      await expect(call(operation, stored, { scopes })()).rejects.toMatchObject({
        reason: 'INSUFFICIENT_SCOPE',
        fields: { param: 'knowledge' },
      });
      const more = [...scopes, 'knowledge:read'];
      expect(await call(operation, stored, { scopes: more })()).toMatchObject({ status: 200 });
    },
  );

  it('lists its items by page, with ids and content parts', async () => {
    const input = [
      { role: 'user', content: 'One' },
      { id: 'msg_1', type: 'message', role: 'assistant', content: 'Two' },
      { type: 'function_call_output', call_id: 'c', output: 'Three' },
    ];
    const list = async (query: object) => {
      const reply = await call('listResponseInputItems', { input }, { query })();
      return (reply as unknown as { json: { data: { id: string }[]; has_more: boolean } }).json;
    };
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({
      data: [{ type: 'function_call_output' }, { id: 'msg_1', content: [{ type: 'output_text' }] }],
      has_more: true,
    });
    const rest = await list({ after: first.data.at(-1)!.id });
    expect(rest).toMatchObject({
      data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One' }] }],
      has_more: false,
    });
    expect((await list({ order: 'asc' })).data.map(({ id }) => id)).toEqual([
      rest.data[0]!.id,
      'msg_1',
      first.data[0]!.id,
    ]);
  });

  it('lists items with an id of null under another one, and none after an unknown id', async () => {
    const input = [{ id: null, role: 'user', content: 'One' }];
    const listed = await call('listResponseInputItems', { input })();
    expect(listed).toMatchObject({ json: { data: [{ id: expect.stringMatching(/^in_/) }] } });
    const query = { after: 'x' };
    const afterUnknown = call('listResponseInputItems', { input }, { query })();
    await expect(afterUnknown).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      fields: { param: 'after' },
    });
  });
});
