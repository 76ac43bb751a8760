import { chatCompletions } from './chat-completions/dialect.ts';
import type { Dialect, DialectName, Endpoint, EndpointName } from './dialect.ts';
import { embeddings } from './embeddings/endpoint.ts';
import { messages } from './messages/dialect.ts';
import { responses } from './responses/dialect.ts';

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  'chat-completions': chatCompletions,
  messages,
  responses,
};

/** The dialects, and embeddings. */
export const ENDPOINTS: Readonly<Record<EndpointName, Endpoint>> = { ...DIALECTS, embeddings };
