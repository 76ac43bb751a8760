import { describe, expect, it } from '@jest/globals';
import type {
  MessageCountTokensParams,
  MessageCreateParams,
} from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import type { ResponseCreateParams } from 'openai/resources/responses/responses';
import type { Static } from '../../http/schema.ts';
import type { EMBEDDINGS_REQUEST } from '../embeddings/embedding-schema.ts';
import type { CHAT_REQUEST } from './chat-schema.ts';
import type { COUNT_REQUEST, MESSAGES_REQUEST } from './messages-schema.ts';
import type { RESPONSES_REQUEST } from './responses-schema.ts';

/**
 * The compiler checks that every request that the official clients can express has the type of our
 * schema.
 */
describe('requests of the official clients have the types of the schemas', () => {
  it('chat completions', () => {
    const accept = (request: ChatCompletionCreateParams): Static<typeof CHAT_REQUEST> => request;
    const request = accept({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    expect(request.model).toBe('m');
  });

  it('messages and the count of their tokens', () => {
    const accept = (request: MessageCreateParams): Static<typeof MESSAGES_REQUEST> => request;
    const count = (request: MessageCountTokensParams): Static<typeof COUNT_REQUEST> => request;
    const body = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
    expect([accept({ ...body, max_tokens: 1 }), count(body)]).toMatchObject([body, body]);
  });

  it('responses', () => {
    // A stored prompt of OpenAI can name the model instead; Witan routes by `model` only.
    type Request = ResponseCreateParams & { model: string };
    const accept = (request: Request): Static<typeof RESPONSES_REQUEST> => request;
    expect(accept({ model: 'm', input: 'Hi' }).model).toBe('m');
  });

  it('embeddings', () => {
    const accept = (request: EmbeddingCreateParams): Static<typeof EMBEDDINGS_REQUEST> => request;
    expect(accept({ model: 'm', input: 'Hi' }).model).toBe('m');
  });
});
