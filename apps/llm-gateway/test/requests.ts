import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { AddressSchema, CompleteRequestSchema } from '@witan/contracts';
import type { Address, CompleteRequest, ConversationSchema } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';

type RequestInit = MessageInitShape<typeof CompleteRequestSchema>;
type WireInit = { headers?: Record<string, string>; query?: string };

/** Model of the test calls, an alias in the settings of `openCompletions`. */
export const ASKED_MODEL = 'chain';

export const makeAddress = (
  options: Partial<Omit<Address, '$typeName' | '$unknown'>> = {},
): Address => create(AddressSchema, { kind: 'model', ...options });

const ADDRESS = makeAddress({ requested: ASKED_MODEL, model: ASKED_MODEL });

const makeRequest = (init: RequestInit): CompleteRequest =>
  create(CompleteRequestSchema, {
    proofId: 'pf_1',
    address: ADDRESS,
    requestSha256: 'aa'.repeat(32),
    ...init,
  });

/**
 * Returns a request in a wire format: a minimal valid body, with the members of `body` merged over
 * it.
 */
export const wireRequest = (
  dialect: DialectName,
  body: object = {},
  { wire = {}, ...init }: RequestInit & { wire?: WireInit } = {},
): CompleteRequest =>
  makeRequest({
    input: { case: 'wire', value: { dialect, json: bytesOf(GREETING[dialect], body), ...wire } },
    ...init,
  });

const MESSAGES = [{ role: 'user', content: 'Good morning!' }];
const GREETING: Readonly<Record<DialectName, object>> = {
  'chat-completions': { model: ASKED_MODEL, messages: MESSAGES },
  messages: { model: ASKED_MODEL, max_tokens: 50, messages: MESSAGES },
  responses: { model: ASKED_MODEL, input: MESSAGES },
};

const bytesOf = (...layers: readonly object[]): Buffer =>
  Buffer.from(JSON.stringify(Object.assign({}, ...layers)));

export const neutralRequest = (
  conversation: MessageInitShape<typeof ConversationSchema> = {},
  init: RequestInit = {},
): CompleteRequest =>
  makeRequest({
    input: { case: 'conversation', value: { turns: [userTurn('Good morning!')], ...conversation } },
    ...init,
  });

export const userTurn = (text: string) => ({
  role: 'user',
  parts: [{ part: { case: 'text' as const, value: { text } } }],
});
