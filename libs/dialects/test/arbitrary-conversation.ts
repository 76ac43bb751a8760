import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ConversationSchema } from '@witan/contracts';
import type { Conversation, PartSchema } from '@witan/contracts';
import fc from 'fast-check';

/**
 * Kind of conversation: `common` can be expressed without loss in both dialects, `messages` in the
 * messages dialect only.
 */
export type ConversationKind = 'common' | 'messages';

type ConversationInit = MessageInitShape<typeof ConversationSchema>;
type TurnInit = NonNullable<ConversationInit['turns']>[number];
type PartInit = MessageInitShape<typeof PartSchema>;
type PartOf<Case> = Extract<NonNullable<PartInit['part']>, { case: Case }>;

type Exchange = { userParts: PartInit[]; answerParts: PartInit[]; calls: [string, string][] };

const MAX_EXCHANGES = 4;

/** Non-blank text; providers refuse blank text. */
export const arbitraryText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() !== '');

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/);
const base64 = fc.base64String({ minLength: 4, maxLength: 16 });
const imageType = fc.constantFrom('image/png', 'image/jpeg', 'image/webp', 'image/gif');
const url = fc.webUrl({ validSchemes: ['http', 'https'] });

export const arbitraryObjectText = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((object) => JSON.stringify(JSON.parse(JSON.stringify(object))));

const typed = fc.constantFrom('string', 'number', 'boolean').map((type) => ({ type }));

const schemaText = fc.dictionary(word, typed, { maxKeys: 3 }).map((properties) => {
  const required = Object.keys(properties);
  return JSON.stringify({ type: 'object', properties, required, additionalProperties: false });
});

const cacheControl = (kind: ConversationKind): fc.Arbitrary<string> =>
  kind === 'common'
    ? fc.constant('')
    : fc.constantFrom('', '{"type":"ephemeral"}', '{"type":"ephemeral","ttl":"1h"}');

const textPart = (kind: ConversationKind): fc.Arbitrary<PartOf<'text'>> =>
  fc.record({
    case: fc.constant('text' as const),
    value: fc.record({ text: arbitraryText, cacheControl: cacheControl(kind) }),
  });

const imagePart = (kind: ConversationKind): fc.Arbitrary<PartOf<'image'>> => {
  const bytes = fc.record({
    mediaType: imageType,
    source: fc.record({ case: fc.constant('base64' as const), value: base64 }),
  });
  const address = fc.record({
    source: fc.record({ case: fc.constant('url' as const), value: url }),
  });
  return fc.record({
    case: fc.constant('image' as const),
    value: fc.record({ media: fc.oneof(bytes, address), cacheControl: cacheControl(kind) }),
  });
};

/**
 * Generates documents. For `common` they are PDF bytes with a name, which both dialects can express
 * without loss.
 */
const documentPart = (kind: ConversationKind): fc.Arbitrary<PartOf<'document'>> => {
  const pdf = fc.record({
    mediaType: fc.constant('application/pdf'),
    source: fc.record({ case: fc.constant('base64' as const), value: base64 }),
  });
  const text = fc.record({
    mediaType: fc.constant('text/plain'),
    source: fc.record({ case: fc.constant('text' as const), value: arbitraryText }),
  });
  const address = fc.record({
    source: fc.record({ case: fc.constant('url' as const), value: url }),
  });
  return fc.record({
    case: fc.constant('document' as const),
    value: fc.record({
      media: kind === 'common' ? pdf : fc.oneof(pdf, text, address),
      name: kind === 'common' ? word : fc.oneof(fc.constant(''), word),
      cacheControl: cacheControl(kind),
    }),
  });
};

const reasoningPart: fc.Arbitrary<PartOf<'reasoning'>> = fc.record({
  case: fc.constant('reasoning' as const),
  value: fc.oneof(fc.record({ text: fc.string(), signature: word }), fc.record({ redacted: word })),
});

const partsOf = (
  arbitrary: fc.Arbitrary<NonNullable<PartInit['part']>>,
  limits: { minLength?: number; maxLength: number },
): fc.Arbitrary<PartInit[]> =>
  fc.array(
    arbitrary.map((part) => ({ part })),
    limits,
  );

/**
 * Generates an exchange: a user's message and an answer. For `common` the answer is one text, then
 * tool calls, as in the chat-completions dialect.
 */
const exchange = (kind: ConversationKind): fc.Arbitrary<Exchange> => {
  const userParts = fc.oneof(textPart(kind), imagePart(kind), documentPart(kind));
  const text = textPart(kind);
  return fc.record({
    userParts: partsOf(userParts, { minLength: 1, maxLength: 3 }),
    answerParts:
      kind === 'common'
        ? partsOf(text, { minLength: 1, maxLength: 1 })
        : partsOf(fc.oneof(text, reasoningPart), { minLength: 1, maxLength: 3 }),
    calls: fc.array(fc.tuple(word, arbitraryObjectText), { maxLength: 2 }),
  });
};

const result = (kind: ConversationKind): fc.Arbitrary<PartOf<'toolResult'>['value']> => {
  const userParts = fc.oneof(textPart(kind), imagePart(kind), documentPart(kind));
  return fc.record({
    parts:
      kind === 'common'
        ? partsOf(textPart(kind), { maxLength: 1 })
        : partsOf(userParts, { maxLength: 3 }),
    isError: kind === 'common' ? fc.constant(false) : fc.boolean(),
    cacheControl: cacheControl(kind),
  });
};

/**
 * Converts exchanges to turns. The results of an exchange's tool calls begin the next user turn;
 * the last turn is a user's.
 */
const toTurns = (
  exchanges: readonly Exchange[],
  results: readonly PartOf<'toolResult'>['value'][],
  marks: readonly string[],
): TurnInit[] => {
  const turns: TurnInit[] = [];
  let open: PartInit[] = [];
  let number = 0;
  for (const { userParts, answerParts, calls } of exchanges) {
    turns.push({ role: 'user', parts: [...open, ...userParts] });
    const called = calls.map(([name, text]): PartInit => {
      const mark = marks[number % marks.length] ?? '';
      number += 1;
      const value = { id: `call-${number}_x`, name, arguments: text, cacheControl: mark };
      return { part: { case: 'toolCall', value } };
    });
    open = called.map(({ part }, position): PartInit => {
      const { id = '' } = (part as PartOf<'toolCall'>).value;
      const toolResult = results[(number + position) % results.length] ?? {};
      return { part: { case: 'toolResult', value: { ...toolResult, toolCallId: id } } };
    });
    turns.push({ role: 'assistant', parts: [...answerParts, ...called] });
  }
  const last: PartInit = { part: { case: 'text', value: { text: 'And now?' } } };
  return [...turns, { role: 'user', parts: [...open, last] }];
};

const tools = (kind: ConversationKind): fc.Arbitrary<NonNullable<ConversationInit['tools']>> =>
  fc.uniqueArray(
    fc.record({
      name: word,
      description: fc.oneof(fc.constant(''), arbitraryText),
      parameters: schemaText,
      strict: fc.option(fc.boolean(), { nil: undefined }),
      cacheControl: cacheControl(kind),
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
  );

const toolChoice: fc.Arbitrary<ConversationInit['toolChoice']> = fc.option(
  fc.oneof(
    fc.record({
      mode: fc.constantFrom('auto', 'required'),
      parallel: fc.option(fc.boolean(), { nil: undefined }),
    }),
    fc.record({ mode: fc.constant('none') }),
    fc.record({ mode: fc.constant('tool'), name: word }),
  ),
  { nil: undefined },
);

/**
 * Response formats with the default schema name, because the messages dialect has no member for
 * another name.
 */
const responseFormat: fc.Arbitrary<ConversationInit['responseFormat']> = fc.option(
  fc.record({
    kind: fc.constant('json_schema'),
    name: fc.constant('answer'),
    schema: schemaText,
    strict: fc.constant(true),
  }),
  { nil: undefined },
);

const share = fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs);

const sampling = (kind: ConversationKind): fc.Arbitrary<ConversationInit['sampling']> =>
  fc.record({
    maxOutputTokens: fc.integer({ min: 1, max: 16_000 }),
    temperature: fc.option(share, { nil: undefined }),
    topP: fc.option(share, { nil: undefined }),
    topK: kind === 'common' ? fc.constant(undefined) : fc.option(fc.nat(100), { nil: undefined }),
    stop: fc.array(arbitraryText, { maxLength: 3 }),
    reasoningEffort: fc.constantFrom('', 'low', 'medium', 'high', 'xhigh', 'max'),
    user: fc.oneof(fc.constant(''), word),
  });

/**
 * Generates conversations that are equal after encoding and decoding, because a dialect can express
 * them without loss.
 */
export const arbitraryConversation = (kind: ConversationKind): fc.Arbitrary<Conversation> =>
  fc
    .record({
      system: fc.array(
        textPart(kind).map(({ value }) => value),
        { maxLength: kind === 'common' ? 1 : 3 },
      ),
      exchanges: fc.array(exchange(kind), { maxLength: MAX_EXCHANGES }),
      results: fc.array(result(kind), { minLength: 1, maxLength: 3 }),
      marks: fc.array(cacheControl(kind), { minLength: 1, maxLength: 3 }),
      tools: tools(kind),
      toolChoice,
      responseFormat,
      sampling: sampling(kind),
      streamed: fc.boolean(),
    })
    .map(({ exchanges, results, marks, ...rest }) =>
      create(ConversationSchema, { ...rest, turns: toTurns(exchanges, results, marks) }),
    );
