import type { CallRequest } from './call-request.ts';
import {
  chatPython,
  chatTypescript,
  messagesPython,
  messagesTypescript,
  responsesPython,
  responsesTypescript,
} from './sdk-snippets.ts';
import type { Snippet } from './sdk-snippets.ts';

/** Everything that differs between dialects. A further dialect is one more entry. */
type Dialect = {
  label: string;
  /** Path of the call; `/preview` behind it shows what the provider would get. */
  path: string;
  toBody: (request: CallRequest) => Record<string, unknown>;
  /** Returns the text of an answer that is not streamed. */
  readAnswer: (body: unknown) => string;
  /** Returns the text that an event of a streamed answer adds. */
  readDelta: (event: unknown) => string;
  /** Returns whether a streamed answer is complete after an event. */
  isLast: (event: unknown) => boolean;
  typescript: Snippet;
  python: Snippet;
};

/** The messages dialect requires a limit. */
const MAX_TOKENS = 1_024;

/** Ends a stream of the chat-completions dialect; it is not JSON. */
const DONE = '[DONE]';

const LAST_RESPONSE_EVENTS = new Set(['response.completed', 'response.incomplete']);

export const parseEvent = (data: string): unknown => (data === DONE ? DONE : JSON.parse(data));

export const DIALECTS = {
  'chat-completions': {
    label: 'Chat completions (OpenAI)',
    path: '/v1/chat/completions',
    toBody: ({ model, system, user, isStreamed, maxTokens, temperature }) => ({
      model,
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: user },
      ],
      ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(isStreamed ? { stream: true } : {}),
    }),
    readAnswer: (body) => textAt(body, 'choices', 0, 'message', 'content'),
    readDelta: (event) => textAt(event, 'choices', 0, 'delta', 'content'),
    isLast: (event) => event === DONE,
    typescript: chatTypescript,
    python: chatPython,
  },
  messages: {
    label: 'Messages (Anthropic)',
    path: '/v1/messages',
    toBody: ({ model, system, user, isStreamed, maxTokens, temperature }) => ({
      model,
      max_tokens: maxTokens ?? MAX_TOKENS,
      ...(system === '' ? {} : { system }),
      messages: [{ role: 'user', content: user }],
      ...(temperature === undefined ? {} : { temperature }),
      ...(isStreamed ? { stream: true } : {}),
    }),
    readAnswer: (body) =>
      listAt(body, 'content')
        .map((block) => textAt(block, 'text'))
        .join(''),
    readDelta: (event) => textAt(event, 'delta', 'text'),
    isLast: (event) => textAt(event, 'type') === 'message_stop',
    typescript: messagesTypescript,
    python: messagesPython,
  },
  responses: {
    label: 'Responses (OpenAI)',
    path: '/v1/responses',
    toBody: ({ model, system, user, isStreamed, maxTokens, temperature }) => ({
      model,
      ...(system === '' ? {} : { instructions: system }),
      input: user,
      store: false,
      ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(isStreamed ? { stream: true } : {}),
    }),
    readAnswer: (body) =>
      listAt(body, 'output')
        .flatMap((item) => listAt(item, 'content'))
        .map((part) => textAt(part, 'text'))
        .join(''),
    readDelta: (event) =>
      textAt(event, 'type') === 'response.output_text.delta' ? textAt(event, 'delta') : '',
    isLast: (event) => LAST_RESPONSE_EVENTS.has(textAt(event, 'type')),
    typescript: responsesTypescript,
    python: responsesPython,
  },
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof DIALECTS;

export const DIALECT_NAMES = Object.keys(DIALECTS) as DialectName[];

export const isDialect = (value: unknown): value is DialectName =>
  typeof value === 'string' && Object.hasOwn(DIALECTS, value);

export const dialectOf = (name: DialectName): Dialect => DIALECTS[name];

/** Returns the error that an event of a stream reports, in any dialect. */
export const readStreamError = (event: unknown): string | undefined =>
  textAt(event, 'error', 'message') ||
  textAt(event, 'response', 'error', 'message') ||
  (textAt(event, 'type') === 'error' ? textAt(event, 'message') : '') ||
  undefined;

type Step = string | number;

const valueAt = (value: unknown, steps: readonly Step[]): unknown =>
  steps.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null ? (at as Record<Step, unknown>)[step] : undefined,
    value,
  );

const textAt = (value: unknown, ...steps: readonly Step[]): string => {
  const found = valueAt(value, steps);
  return typeof found === 'string' ? found : '';
};

const listAt = (value: unknown, ...steps: readonly Step[]): readonly unknown[] => {
  const found = valueAt(value, steps);
  return Array.isArray(found) ? found : [];
};
