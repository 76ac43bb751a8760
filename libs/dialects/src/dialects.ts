import { chatCompletions } from './chat-completions/dialect.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { messages } from './messages/dialect.ts';
import { responses } from './responses/dialect.ts';

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  'chat-completions': chatCompletions,
  messages,
  responses,
};
