import { chatCompletions } from '@witan/dialects';
import type { Route } from '../../http/route.ts';
import { CHAT_REQUEST, CHAT_RESPONSE } from './chat-schema.ts';
import { ADDRESSES, DIALECT_BYTES_MAX, dialectResponses, PROOF_HEADERS } from './dialect-route.ts';
import { serveCompletion } from './serve-completion.ts';
import type { CompletionServices } from './serve-completion.ts';

export const chatCompletionsRoute = (
  completionServices: CompletionServices,
  timeoutMs: number,
): Route => ({
  id: 'createChatCompletion',
  method: 'post',
  path: '/v1/chat/completions',
  surface: 'chat-completions',
  summary: 'One certified completion in the chat-completions dialect',
  description: ADDRESSES,
  tag: 'Gateway',
  scopes: ['gateway'],
  body: CHAT_REQUEST,
  bodyBytesMax: DIALECT_BYTES_MAX,
  limitsMemory: true,
  limitsStreams: true,
  idempotent: true,
  responses: {
    200: {
      description: 'The answer, or with `stream: true` its chunks as server-sent events.',
      schema: CHAT_RESPONSE,
      streamedAs: 'text/event-stream',
      headers: PROOF_HEADERS,
    },
    ...dialectResponses('chat-completions'),
  },
  handle: serveCompletion(completionServices, chatCompletions, { timeoutMs }),
});
