import type { CallOptions } from '@witan/service-kit';
import { CALL_TIMEOUT_MS } from './call-timeout.ts';
import type { RouteCall } from './route.ts';

export const optionsOf = ({ principal, requestId, signal }: RouteCall): CallOptions => ({
  workspaceId: principal!.workspaceId,
  requestId,
  signal,
  timeoutMs: CALL_TIMEOUT_MS,
});
