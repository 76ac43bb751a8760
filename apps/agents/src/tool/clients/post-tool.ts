import { createGuardedClient, withSpan } from '@witan/service-kit';
import type { GuardedClientOptions } from '@witan/service-kit';
import type { PostTool } from '../post-tool.ts';

/** Time limit of a tool call, from DNS lookup to the end of the response, in milliseconds. */
export const TOOL_TIMEOUT_MS = 15_000;
const RESPONSE_BYTES_MAX = 256 * 1024;

/**
 * Creates a `PostTool` on the HTTP client that blocks forbidden addresses, with a telemetry span
 * per call. Bodies of error responses are not returned.
 */
export const createPostTool = ({
  timeoutMs,
  ...options
}: GuardedClientOptions & { timeoutMs: number }): {
  post: PostTool;
  close: () => Promise<void>;
} => {
  const client = createGuardedClient(options);
  return {
    post: ({ toolId, agentName, ...call }) =>
      withSpan(spanOf(toolId, call.headers['X-Service-Tool'], agentName), async (span) => {
        const response = await client.post({
          ...call,
          // Connections are limited per tool, so that a hanging tool does not block others on the
          // same host.
          scope: toolId,
          timeoutMs,
          bodyBytesMax: RESPONSE_BYTES_MAX,
          oversizedBody: 'fail',
        });
        if (response.ok) return { status: response.status, body: response.body };
        span.fail(response.failure);
        return { status: response.status ?? null, failure: response.failure };
      }),
    close: client.close,
  };
};

/**
 * Returns the name and attributes of a span by OpenTelemetry's conventions for generative AI.
 * Arguments and results are left out, because they are content, and the id of the call, because the
 * model wrote it.
 */
const spanOf = (toolId: string, name = '', agentName = '') =>
  ({
    name: `execute_tool ${name}`,
    role: 'internal',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      ...(agentName === '' ? {} : { 'gen_ai.agent.name': agentName }),
      'witan.tool.id': toolId,
    },
  }) as const;
