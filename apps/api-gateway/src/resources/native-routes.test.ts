import { describe, expect, it } from '@jest/globals';
import type { RouteCall } from '../http/route.ts';
import { nativeRoutes } from './native-routes.ts';

describe('nativeRoutes', () => {
  it('does not retain a body that the handler has freed', async () => {
    const bodies: unknown[] = [];
    const { handled } = nativeRoutes('Tests', 'agents');
    const route = handled('post', '/v1/tests', {
      id: 'test',
      summary: 'A test',
      body: { type: 'object' },
      responses: {},
      handle: async (input) => {
        bodies.push(input.body);
        input.call.body = {};
        bodies.push(input.body);
        return undefined;
      },
    });
    const principal = { keyId: 'key_1', workspaceId: 'ws_1', userId: 'usr_1', scopes: ['*'] };
    await route.handle({ principal, body: { content: 'long' } } as unknown as RouteCall);
    expect(bodies).toEqual([{ content: 'long' }, {}]);
  });
});
