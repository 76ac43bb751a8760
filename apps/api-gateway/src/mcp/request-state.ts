import { createHash } from 'node:crypto';
import { canonicalJson } from '@witan/proof';
import type { SecretCipher } from '@witan/service-kit';
import { invalidParams } from './json-rpc.ts';
import type { McpCall } from './mcp-method.ts';

/** Time in milliseconds for which a client may bring back what it was asked for. */
export const STATE_TTL_MS = 10 * 60_000;

/**
 * State of a request that waits for input. The client stores it, so that it is encrypted and
 * authenticated: it is bound to the API key and to the request, and expires.
 */
export type RequestStates = {
  create: (mcpCall: McpCall) => string;
  /**
   * Returns an idempotency key of the state, so that a replay of it has no second effect. Throws
   * RpcError `invalidParams` for a state that was altered or has expired, or that belongs to
   * another API key or request.
   */
  verify: (state: unknown, mcpCall: McpCall) => string;
};

/** `id` is random and never shown, so that no client can use the idempotency key of a state. */
type State = { id: string; request: string; expiresAt: number };

export const createRequestStates = (
  cipher: Pick<SecretCipher, 'encrypt' | 'decrypt'>,
  { clock, newId }: { clock: () => Date; newId: (prefix: string) => string },
): RequestStates => ({
  create: (mcpCall) => {
    const expiresAt = clock().getTime() + STATE_TTL_MS;
    const state: State = { id: newId('mrs'), request: digestOf(mcpCall), expiresAt };
    return cipher.encrypt(JSON.stringify(state), contextOf(mcpCall));
  },
  verify: (text, mcpCall) => {
    const state = open(cipher, text, contextOf(mcpCall));
    if (!state) throw invalidParams('requestState is not valid for this key; begin again.');
    if (state.request !== digestOf(mcpCall)) {
      throw invalidParams('requestState belongs to another request; begin again.');
    }
    if (state.expiresAt <= clock().getTime()) {
      throw invalidParams('requestState has expired; begin again.');
    }
    return `mcp-state-${state.id}`;
  },
});

const open = (
  cipher: Pick<SecretCipher, 'decrypt'>,
  text: unknown,
  context: string,
): State | undefined => {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(cipher.decrypt(text, context)) as State;
  } catch {
    // The state was altered, or encrypted for another key; both are reported alike.
    return undefined;
  }
};

const contextOf = ({ call }: McpCall): string => {
  const { workspaceId, keyId } = call.principal!;
  return `mcp_state:${workspaceId}:${keyId}`;
};

/** Returns a hash of the parameters that stay the same when a request is repeated with input. */
const digestOf = ({ params: { name, arguments: args = {} } }: McpCall): string =>
  createHash('sha256')
    .update(canonicalJson([name, args]))
    .digest('hex');
