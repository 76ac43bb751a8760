import { abortable } from '@witan/service-kit';
import type { McpToolDeps } from '../run-mcp-tool.ts';

type Refresh = McpToolDeps['refresh'];

/**
 * Returns `refresh`, run once at a time for each server: callers wait for the listing that runs. A
 * caller that leaves does not end it, because others may wait for it; its own deadline does.
 */
export const shareRefresh = (refresh: Refresh): Refresh => {
  const running = new Map<string, Promise<unknown>>();
  const start = (serverId: string, workspaceId: string): Promise<unknown> => {
    const { signal } = new AbortController();
    const refreshing = refresh(serverId, { workspaceId, signal }).finally(() => {
      running.delete(serverId);
    });
    running.set(serverId, refreshing);
    return refreshing;
  };
  return (serverId, { workspaceId, signal }) =>
    abortable(() => running.get(serverId) ?? start(serverId, workspaceId), signal);
};
