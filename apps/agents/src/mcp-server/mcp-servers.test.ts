import { describe, expect, it } from '@jest/globals';
import { createMcpServers } from './mcp-servers.ts';
import type { McpServersDeps } from './mcp-servers.ts';

const DRAFT = { name: 'desk', url: 'https://mcp.example', headers: {} };

describe('the registration of an MCP server', () => {
  it('stores nothing once its caller has left', async () => {
    const inserted: unknown[] = [];
    const signals: AbortSignal[] = [];
    const client = new AbortController();
    const servers = createMcpServers({
      store: { insert: async (...row: unknown[]) => void inserted.push(row) },
      client: {
        listTools: async (_endpoint: object, { signal }: { signal: AbortSignal }) => {
          signals.push(signal);
          client.abort(new Error('left'));
          return { protocolVersion: '2026-07-28', tools: [] };
        },
      },
      validator: { findError: async () => undefined },
      checkUrl: async (url: string) => url,
      ids: { newId: (prefix: string) => `${prefix}_1`, clock: () => new Date(0) },
    } as unknown as McpServersDeps);
    const creating = servers.create(DRAFT, { workspaceId: 'ws_1', signal: client.signal });
    await expect(creating).rejects.toThrow('left');
    expect([inserted, signals]).toEqual([[], [client.signal]]);
  });
});
