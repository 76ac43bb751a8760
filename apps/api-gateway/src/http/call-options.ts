import type { CallOptions } from '@witan/service-kit';
import { CALL_TIMEOUT_MS } from './call-timeout.ts';
import type { RouteCall } from './route.ts';

/** Returns the options of a short call to another service on behalf of a request. */
export const optionsOf = ({ principal, requestId, signal }: RouteCall): CallOptions => ({
  workspaceId: principal!.workspaceId,
  requestId,
  signal,
  timeoutMs: CALL_TIMEOUT_MS,
});
