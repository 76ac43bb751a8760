import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import type { TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';
import type { Caller } from '../http-client.ts';
import { createMcpCaller } from './mcp-caller.ts';

export const CLIENT_INFO = { name: 'witan-e2e', version: '1.0.0' };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const VERSION = '2026-07-28';

/** Connects the official client, in the newest revision or in an earlier one. */
export const connectClient = async (
  { baseUrl, apiKey }: Caller,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> => {
  const client = new Client(CLIENT_INFO, {
    capabilities: { ...TASKS, elicitation: {} },
    versionNegotiation: { mode },
  });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  const url = new URL(`${baseUrl}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
};

/** Opens a session of the official Tasks client on a connected client. */
export const openTaskSession = (client: Client, caller: Caller): TaskEnabledSession => {
  const mcp = createMcpCaller(caller);
  return createTaskSessionFromClient(client, {
    endpointId: 'witan',
    v2RequestFraming: {
      protocolVersion: VERSION,
      clientInfo: CLIENT_INFO,
      clientCapabilities: TASKS,
    },
    // The client's own codec knows no tasks, so that the host sends the requests of a task.
    rawDispatch: async (request) => {
      const { method, params } = request as { method: string; params: Record<string, unknown> };
      const { name, taskId } = params as { name?: string; taskId?: string };
      const mirrored = name ?? taskId;
      const sent = await mcp.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), {
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        ...(mirrored === undefined ? {} : { 'mcp-name': mirrored }),
      });
      return sent.error
        ? { kind: 'error', error: sent.error }
        : { kind: 'result', result: sent.result as never };
    },
  });
};
