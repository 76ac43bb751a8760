import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { CompleteRequestSchema } from '@witan/contracts';
import type { Conversation } from '@witan/contracts';
import { toTextTurn } from '../call/model-call.ts';
import type { Prompt } from '../call/model-call.ts';
import { toCompletionCall } from '../call/open-delivered.ts';
import { DIALECTS } from '../dialects.ts';
import { outlineSchema, writeSchema } from './answer-schema.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    content: { type: 'string', maxLength: 90, description: 'your answer' },
    stances: {
      type: 'object',
      properties: { i1: { type: 'string', enum: ['for', 'against'], description: 'We hire.' } },
      required: ['i1'],
    },
    points: { type: 'array', items: { type: 'string' }, description: 'the strongest first' },
    sure: { type: 'number', minimum: 0, maximum: 1 },
    note: { type: 'string' },
  },
  required: ['content', 'stances', 'points', 'sure', 'note'],
};

const toConversation = (prompt: Partial<Prompt> = {}): Conversation => {
  const turns = [toTextTurn('user', 'Hire?'), toTextTurn('user', 'The others said no.')];
  const request = toCompletionCall({
    proofId: 'pf_1',
    requestSha256: '',
    address: {},
    prompt: { system: ['Be brief.'], turns, wantsJson: SCHEMA, isStreamed: false, ...prompt },
  });
  return create(CompleteRequestSchema, request).input.value as Conversation;
};

type Sent = {
  messages?: { role: string; content: string }[];
  input?: { role: string; content: object[] }[];
  response_format?: { json_schema: { schema: typeof SCHEMA; strict?: boolean } };
  text?: { format: { type: string; schema: typeof SCHEMA; strict?: boolean } };
  output_config?: { format: { type: string; schema: typeof SCHEMA } };
};

const encode = (
  conversation: Conversation,
  dialect: keyof typeof DIALECTS,
  model: string,
): Sent => {
  const target = { model, maxOutputTokens: 100 };
  return JSON.parse(DIALECTS[dialect].encodeRequest(conversation, target).body) as Sent;
};

describe('the schema of an own call', () => {
  it('is sent whole, and strict, because each object is closed', () => {
    const { response_format: format } = encode(toConversation(), 'chat-completions', 'qwen');
    const closed = { additionalProperties: false };
    const { stances } = SCHEMA.properties;
    const properties = { ...SCHEMA.properties, stances: { ...stances, ...closed } };
    const schema = { ...SCHEMA, ...closed, properties };
    expect(format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    });
  });

  it.each(['chat-completions', 'responses'] as const)(
    'has no limits of length for OpenAI, which refuses them: %s',
    (dialect) => {
      const sent = encode(toConversation(), dialect, 'gpt-5');
      const { schema, strict } = sent.response_format?.json_schema ?? sent.text!.format;
      expect([schema.properties.content, strict]).toEqual([
        { type: 'string', description: 'your answer' },
        true,
      ]);
    },
  );

  it('is the output format of the messages dialect', () => {
    const { output_config: config } = encode(toConversation(), 'messages', 'claude-sonnet-5-5');
    expect(config!.format.type).toBe('json_schema');
  });

  it('is not strict with an optional or untyped member', () => {
    const schema = { type: 'object', properties: { a: {} } };
    const conversation = toConversation({ wantsJson: schema });
    const { response_format: format } = encode(conversation, 'chat-completions', 'gpt-5');
    expect(format!.json_schema).toEqual({ name: 'answer', schema });
  });

  it.each<[Prompt['wantsJson'], string | undefined]>([
    [true, 'json_object'],
    [false, undefined],
  ])('is absent if none is requested: %j', (wantsJson, kind) => {
    const conversation = toConversation({ wantsJson });
    expect(conversation.responseFormat?.kind).toBe(kind);
    expect([writeSchema(conversation), outlineSchema(conversation, 'qwen')]).toEqual([
      conversation,
      conversation,
    ]);
  });

  it('is outlined for models that do not see it', () => {
    const { system } = outlineSchema(toConversation(), 'qwen');
    expect(system.map(({ text }) => text)).toEqual([
      'Be brief.',
      [
        'Its members:',
        '- content: your answer',
        '- stances',
        '  - i1: We hire.; "for" or "against"',
        '- points: the strongest first',
        '- sure: 0 to 1',
      ].join('\n'),
    ]);
    expect(outlineSchema(toConversation(), 'gpt-5').system).toHaveLength(1);
  });

  it('can be text in the prompt instead', () => {
    const { system, responseFormat } = writeSchema(toConversation());
    expect(responseFormat).toMatchObject({ kind: 'json_object', schema: '' });
    expect(system.at(-1)!.text).toMatch(/^The object has this shape:\n\{"type":"object"/);
  });
});

describe('two turns of one role in a row', () => {
  it.each(['chat-completions', 'messages', 'responses'] as const)(
    'are one message in the dialect %s',
    (dialect) => {
      const { messages, input } = encode(toConversation(), dialect, 'a-model');
      const turns = (messages ?? input!).filter(({ role }) => role === 'user');
      expect(turns).toHaveLength(1);
      expect(JSON.stringify(turns)).toMatch(/Hire\?.*The others said no\./);
    },
  );

  it('become one text, which every runtime accepts', () => {
    const { messages } = encode(toConversation(), 'chat-completions', 'a-model');
    expect(messages!.at(-1)!.content).toBe('Hire?\n\nThe others said no.');
  });
});
