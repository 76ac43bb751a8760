import type { AgentService, CountingService } from '@witan/contracts/services';
import { messages } from '@witan/dialects';
import type { Client } from '@witan/service-kit';
import { COUNT_TIMEOUT_MS, optionsOf } from '../../http/route.ts';
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
  limitsMemory: true,
  limitsStreams: true,
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
 * Returns the route that estimates the tokens of a request. Nothing is sent to a provider, so no
 * certificate is written.
 */
export const countTokensRoute = ({ counting, agents }: Counters): Route => ({
  id: 'countTokens',
  method: 'post',
  path: '/v1/messages/count_tokens',
  surface: 'messages',
  summary: 'An estimate of how many tokens a body of the messages dialect has',
  tag: 'Gateway',
  scopes: ['gateway'],
  body: COUNT_REQUEST,
  bodyBytesMax: DIALECT_BYTES_MAX,
  limitsMemory: true,
  responses: {
    200: {
      description: 'The estimate; nothing is sent to a provider',
      schema: COUNT_RESPONSE,
      headers: { 'x-service-estimated': '`true`' },
    },
    ...dialectResponses('messages'),
  },
  handle: async (call) => {
    const options = { ...optionsOf(call), timeoutMs: COUNT_TIMEOUT_MS };
    const { address, headers, query } = readDialectRequest(call, 'messages');
    const wire = { dialect: 'messages', json: call.source, headers, query };
    if (address.kind === 'agent') {
      // Only the tokens of the caller's body are counted, without the agent's persona and memories.
      address.model = await findAgentModel(agents, address, options);
    }
    const { inputTokens } = await counting.countTokens({ address, wire }, options);
    const json = { input_tokens: inputTokens };
    return { status: 200, json, headers: { 'x-service-estimated': 'true' } };
  },
});
