import { describe, expect, it } from '@jest/globals';
import type { McpTarget } from '../tool/mcp-target.ts';
import { shareRefresh } from './clients/share-refresh.ts';
import { createRunMcpTool, LIST_AGE_MAX_MS } from './run-mcp-tool.ts';
import type { McpToolDeps } from './run-mcp-tool.ts';

const TOOL: McpTarget = { serverId: 'mcs_1', mcpName: 'old', state: 'accepted', headerParams: [] };
const LISTED_AGAIN = { ...TOOL, mcpName: 'new' };

/** A server whose list is too old to call from; `listing.resolve()` ends reading it again. */
const open = () => {
  const listing = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  let refreshedAt = new Date(0);
  const calls: { protocolVersion: string; name: string }[] = [];
  const signals: AbortSignal[] = [];
  const deps: McpToolDeps = {
    findEndpoint: async () => {
      const protocolVersion = refreshedAt.getTime() === 0 ? '2026-07-28' : '2025-11-25';
      return {
        serverId: 'mcs_1',
        url: 'https://mcp.example',
        headers: {},
        protocolVersion,
        refreshedAt,
      };
    },
    client: {
      callTool: async ({ protocolVersion }, { name }) => {
        calls.push({ protocolVersion, name });
        return { status: 200, result: { content: [{ type: 'text', text: 'done' }] } };
      },
    },
    refresh: shareRefresh(async (_serverId, { signal }) => {
      signals.push(signal);
      await listing.promise;
      refreshedAt = new Date(LIST_AGE_MAX_MS);
    }),
    clock: () => new Date(LIST_AGE_MAX_MS + 1),
    onFailure: (error) => failures.push(error),
  };
  const run = createRunMcpTool(deps);
  const call = (signal = new AbortController().signal) =>
    run(
      'mcs_1',
      async ({ isRefreshed }) => ({ mcpServer: isRefreshed ? LISTED_AGAIN : TOOL, args: {} }),
      { workspaceId: 'ws_1', signal },
    );
  return { call, calls, signals, listing, failures };
};

const CALLED = { protocolVersion: '2025-11-25', name: 'new' };

describe('a call of a tool whose list is old', () => {
  it('uses the endpoint and the tool as they are after the list was read again', async () => {
    const { call, calls, listing } = open();
    listing.resolve();
    expect(await call()).toMatchObject({ status: 'ok', result: '"done"' });
    expect(await call()).toMatchObject({ status: 'ok' });
    expect(calls).toEqual([CALLED, { ...CALLED, name: 'old' }]);
  });

  it('waits for the listing that runs for another call', async () => {
    const { call, calls, signals, listing } = open();
    const running = [call(), call()];
    listing.resolve();
    await Promise.all(running);
    expect([signals.length, calls]).toEqual([1, [CALLED, CALLED]]);
  });

  it('is not made if reading the list fails, which is an error for the model', async () => {
    const { call, calls, listing, failures } = open();
    const cause = new Error('invalid byte sequence');
    listing.reject(cause);
    expect(await call()).toEqual({ unsent: expect.stringContaining('could not be read again') });
    expect([calls, failures]).toEqual([[], [cause]]);
  });

  it('ends with its caller, and leaves the listing to others', async () => {
    const { call, calls, signals, listing } = open();
    const client = new AbortController();
    const left = call(client.signal);
    const other = call();
    client.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    listing.resolve();
    expect(await other).toMatchObject({ status: 'ok' });
    expect([signals.map(({ aborted }) => aborted), calls]).toEqual([[false], [CALLED]]);
  });
});
