import { describe, expect, it } from '@jest/globals';
import { chooseAgent } from './choose-agent.ts';
import type { ChooseAgentDeps } from './choose-agent.ts';
import type { McpCall } from './mcp-method.ts';

describe('chooseAgent', () => {
  it('asks nothing in a workspace without agents', async () => {
    const deps = {
      routeOf: (id: string) => ({ id }),
      callRoute: async () => ({ status: 200, headers: {}, json: { agents: [] } }),
      states: { create: () => 'state' },
    } as unknown as ChooseAgentDeps;
    const envelope = { era: 'modern', capabilities: { elicitation: {} } };
    const mcpCall = { params: {}, envelope, call: { requestId: 'req_1' } } as unknown as McpCall;
    expect(await chooseAgent(mcpCall, deps)).toMatchObject({ result: { isError: true } });
  });
});
