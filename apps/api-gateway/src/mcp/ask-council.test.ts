import { describe, expect, it } from '@jest/globals';
import type { Route } from '../http/route.ts';
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
});
