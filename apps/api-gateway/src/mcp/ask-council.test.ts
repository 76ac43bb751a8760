import { describe, expect, it } from '@jest/globals';
import { ServiceError, unavailable } from '@witan/contracts';
import type { Route } from '../http/route.ts';
import { DrainLimitError } from '../http/route.ts';
import { createAskCouncil } from './ask-council.ts';
import type { AskCouncilDeps } from './ask-council.ts';
import type { ToolCall } from './tool.ts';

const ROUTE = { surface: 'native', responses: { 200: { description: '', schema: {} } } };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('ask_council', () => {
  it('starts all debates with one route, because callRoute caches what it compiles by route', async () => {
    const called: Route[] = [];
    const deps = {
      routeOf: (id: string) => ({ ...ROUTE, id }),
      callRoute: async (route: Route) => {
        called.push(route);
        return { status: 503, headers: {}, json: { error: {} } };
      },
    } as unknown as AskCouncilDeps;
    const { run } = createAskCouncil(deps);
    const args = { conversationId: 'cnv_1', content: 'Should we?' };
    const call = { principal: { scopes: [] } };
    const toolCall = { args, call, envelope: { capabilities: TASKS } } as unknown as ToolCall;
    for (let n = 0; n < 2; n += 1) expect(await run(toolCall)).toMatchObject({ isError: true });
    expect(called.map(({ id }) => id)).toEqual(['holdDebate', 'holdDebate']);
    expect(called[1]).toBe(called[0]);
  });

  it.each([
    ['it disconnects', undefined, ['dbt_1']],
    ['a drain closes its stream', new DrainLimitError(), []],
    ['its key is revoked', new ServiceError('UNAUTHENTICATED', 'The key was revoked.'), []],
  ])(
    'cancels the debate only of a client that disconnects: %s',
    async (_name, reason, expected) => {
      const cancelled: string[] = [];
      const aborter = new AbortController();
      const deps = {
        routeOf: (id: string) => ({ ...ROUTE, id }),
        callRoute: async () => ({ status: 200, headers: {}, json: { debateId: 'dbt_1' } }),
        takeStream: () => () => {},
        conversations: {
          followDebate: () => {
            aborter.abort(reason);
            throw unavailable('The stream was cut.');
          },
          cancelDebate: async ({ debateId }: { debateId: string }) => void cancelled.push(debateId),
        },
      } as unknown as AskCouncilDeps;
      const principal = { scopes: [], workspaceId: 'ws_1', keyId: 'key_1' };
      const toolCall = {
        args: { conversationId: 'cnv_1', content: 'Should we?' },
        call: {
          principal,
          response: { once: () => {} },
          signal: aborter.signal,
          requestId: 'req_1',
        },
        envelope: { era: 'legacy', capabilities: {} },
        notify: () => {},
      } as unknown as ToolCall;
      await expect(createAskCouncil(deps).run(toolCall)).rejects.toThrow('The stream was cut.');
      expect(cancelled).toEqual(expected);
    },
  );
});
