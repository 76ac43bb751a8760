import type { AgentService, CountingService } from '@witan/contracts/services';
import { messages } from '@witan/dialects';
import type { Client } from '@witan/service-kit';
import { COUNT_TIMEOUT_MS, optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { findAgentModel, readDialectRequest } from './dialect-request.ts';
import { ADDRESSES, DIALECT_BYTES_MAX, dialectResponses, PROOF_HEADERS } from './dialect-route.ts';
import { COUNT_REQUEST, COUNT_RESPONSE, MESSAGES_REQUEST, MESSAGE } from './messages-schema.ts';
import { serveCompletion } from './serve-completion.ts';
import type { CompletionServices } from './serve-completion.ts';

export const messagesRoute = (
  completionServices: CompletionServices,
  timeoutMs: number,
): Route => ({
  id: 'createMessage',
  method: 'post',
  path: '/v1/messages',
  surface: 'messages',
  summary: 'One certified completion in the messages dialect',
  description: ADDRESSES,
  tag: 'Gateway',
  scopes: ['gateway'],
  body: MESSAGES_REQUEST,
  bodyBytesMax: DIALECT_BYTES_MAX,
  idempotent: true,
  responses: {
    200: {
      description: 'The answer, or with `stream: true` its events as server-sent events.',
      schema: MESSAGE,
      streamedAs: 'text/event-stream',
      headers: PROOF_HEADERS,
    },
    ...dialectResponses('messages'),
  },
  handle: serveCompletion(completionServices, messages, { timeoutMs }),
});

type Counters = {
  counting: Client<typeof CountingService>;
  agents: Client<typeof AgentService>;
};

/**
 * Returns the route that counts the tokens of a request. Nothing is generated, so no certificate is
 * written.
 */
export const countTokensRoute = ({ counting, agents }: Counters): Route => ({
  id: 'countTokens',
  method: 'post',
  path: '/v1/messages/count_tokens',
  surface: 'messages',
  summary: 'How many tokens a body of the messages dialect has',
  tag: 'Gateway',
  scopes: ['gateway'],
  body: COUNT_REQUEST,
  bodyBytesMax: DIALECT_BYTES_MAX,
  responses: {
    200: {
      description: "The provider's count, or an estimate when it cannot count.",
      schema: COUNT_RESPONSE,
      headers: { 'x-service-estimated': '`true` when the count is ours, else `false`' },
    },
    ...dialectResponses('messages'),
  },
  handle: async (call) => {
    const options = { ...optionsOf(call), timeoutMs: COUNT_TIMEOUT_MS };
    const dialectRequest = readDialectRequest(call, 'messages');
    const { address } = dialectRequest;
    if (address.kind === 'agent') {
      // Only the tokens of the caller's body are counted, without the agent's persona and memories.
      address.model = await findAgentModel(agents, address, options);
    }
    const response = await counting.countTokens(dialectRequest, options);
    if (response.json.length > 0) {
      const text = Buffer.from(response.json).toString('utf8');
      const counted = { ...response.headers, 'x-service-estimated': 'false' };
      return { status: response.status, text, headers: counted };
    }
    const json = { input_tokens: response.inputTokens };
    return { status: 200, json, headers: { 'x-service-estimated': 'true' } };
  },
});
