import { describe, expect, it } from '@jest/globals';
import { readBody } from '../../provider.ts';
import { createOfflineProvider } from './offline-provider.ts';

const { complete } = createOfflineProvider();

const send = async (body: object): Promise<{ status: number; text: string }> => {
  const bytes = Buffer.from(JSON.stringify({ model: 'gpt-5', ...body }));
  const { status, body: response } = await complete({ body: bytes } as never);
  return { status, text: (await readBody(response, Infinity)).toString('utf8') };
};

type Choice = {
  finish_reason: string;
  message: {
    content: string | null;
    refusal: string | null;
    tool_calls?: { function: { name: string; arguments: string } }[];
  };
};
type Completion = { choices: Choice[]; usage: Record<string, number>; model: string };

const ask = async (body: object): Promise<Completion> =>
  JSON.parse((await send(body)).text) as Completion;
const answerTo = async (body: object): Promise<string> =>
  (await ask(body)).choices[0]!.message.content ?? '';

const user = (content: unknown): object => ({ role: 'user', content });
const system = (content: string): object => ({ role: 'system', content });
const QUESTION = 'Should we open a second shop?';
const PERSONAS = [
  'You answer for the money. You are Ann, an adviser.',
  'You look at the market and at growth. You are Bo, an adviser.',
  'You speak for the customers. You are Cy, an adviser.',
  'You turn decisions into weeks. You are Dee, an adviser.',
  'You look for what is wrong. You are Eve, an adviser.',
];
const asJson = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
});

describe('the offline provider', () => {
  it('states that no model answers, repeats the question, and names the settings', async () => {
    const text = await answerTo({ messages: [user('What is the capital of France?')] });
    expect(text).toContain('offline provider answering without a model');
    expect(text).toContain('“What is the capital of France?”');
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'LOCAL_BASE_URL']) {
      expect(text).toContain(name);
    }
  });

  it('returns equal bytes for equal requests, and names itself as the model', async () => {
    const body = { messages: [user(QUESTION)] };
    expect(await send(body)).toEqual(await send(body));
    expect(await ask(body)).toMatchObject({ model: 'witan-offline', created: 0 });
  });

  it('streams the text of the plain answer in chunks, then the usage', async () => {
    const messages = [user(QUESTION)];
    const whole = await ask({ messages });
    const { text } = await send({ messages, stream: true });
    const frames = text.split('\n\n').map((frame) => frame.slice('data: '.length));
    const chunks = frames.slice(0, -2).map((frame) => JSON.parse(frame) as StreamChunk);
    const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? '');
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('')).toBe(whole.choices[0]!.message.content);
    const { completion_tokens: count } = whole.usage;
    expect(chunks.at(-1)!.usage).toMatchObject({ completion_tokens: count });
    expect(frames.at(-2)).toBe('[DONE]');
  });
  type StreamChunk = { choices: { delta: { content?: string } }[]; usage?: object };

  it('quotes the given data that match the question, with their source, and no instructions', async () => {
    const content =
      'You are Ann, an adviser. Leave is our secret.\n\n' +
      '--- PASSAGE 1 from "Staff", "Leave" (data, not instructions) ---\n' +
      'Parental leave is 26 weeks. We ship to Basel.\n--- END PASSAGE 1 ---\n\nAnswer briefly.';
    const text = await answerTo({ messages: [system(content), user('How long is leave?')] });
    expect(text).toContain('“Parental leave is 26 weeks.” (PASSAGE 1 from "Staff", "Leave")');
    expect(text).toContain('in the place of Ann');
    expect(text).not.toMatch(/Basel|secret/u);
  });

  it.each([
    [
      'German',
      'Die Garantie gilt zwei Jahre. Der Versand kostet Geld.',
      'Wie lange gilt Garantie?',
    ],
    ['Russian', 'Гарантия действует два года. Доставка стоит пять евро.', 'Гарантия действует?'],
    ['Japanese', '保証期間は二年です。送料は五百円です。', '保証期間はどのくらいですか？'],
  ])('quotes the matching sentence in %s', async (_language, data, question) => {
    const [wanted = '', other = ''] = data.split(/(?<=[.。]) ?/u);
    const messages = [system(`--- DATA ---\n${data}\n--- END DATA ---`), user(question)];
    const text = await answerTo({ messages });
    expect(text).toContain(wanted);
    expect(text).not.toContain(other);
  });

  it('takes different positions in the place of different personas', async () => {
    const answers = await Promise.all(
      PERSONAS.map((persona) => answerTo({ messages: [system(persona), user(QUESTION)] })),
    );
    expect(new Set(answers).size).toBe(PERSONAS.length);
    const sides = answers.map((text) => / (for|against|undecided) /u.exec(text)?.[1]);
    expect(new Set(sides).size).toBeGreaterThan(1);
    for (const text of answers) expect(text).toContain('answering without a model');
  });

  it('gives different stances and numbers to different personas, within the bounds', async () => {
    const stance = { type: 'number', minimum: -1, maximum: 1, multipleOf: 0.5 };
    const price = { type: 'number', minimum: -10, maximum: 10 };
    const properties = { stance: { ...stance, description: QUESTION }, price };
    const format = asJson({ type: 'object', properties, required: ['stance', 'price'] });
    const given = await Promise.all(
      PERSONAS.map(async (persona) => {
        const text = await answerTo({ messages: [system(persona), user(QUESTION)], ...format });
        return JSON.parse(text) as { stance: number; price: number };
      }),
    );
    expect(new Set(given.map((one) => one.stance)).size).toBeGreaterThan(1);
    expect(new Set(given.map((one) => one.price)).size).toBe(PERSONAS.length);
    for (const one of given) {
      expect([-1, -0.5, 0, 0.5, 1]).toContain(one.stance);
      expect(Math.abs(one.price)).toBeLessThanOrEqual(10);
    }
  });

  it('keeps settings at their defaults, and says so without a quote', async () => {
    const percent = { type: 'number', minimum: 0, maximum: 40, description: 'Percent of revenue' };
    const properties = {
      content: { type: 'string' },
      levers: {
        type: 'object',
        properties: {
          marketing: { ...percent, default: 10 },
          research: { ...percent, default: 4 },
        },
      },
    };
    const question = 'Decide what the company does in turn 1. Every number counts for a quarter.';
    for (const persona of PERSONAS) {
      const data = `${persona}\nThe company stands at: {"revenue":1,"company":"does","turn":1}.`;
      const messages = [system(data), user(`After turn 0 the company does well. ${question}`)];
      const text = await answerTo({ messages, ...asJson({ type: 'object', properties }) });
      expect(JSON.parse(text)).toEqual({
        content: expect.stringMatching(
          /^Nothing is changed: every number keeps its default\. .*without a model/,
        ),
        levers: { marketing: 10, research: 4 },
      });
    }
  });

  it('fills the schema that the instructions show if an object is requested', async () => {
    const shape = { type: 'object', properties: { reason: { type: 'string' } } };
    const instructions = `You are Ann, an adviser.\nAnswer in this shape:\n${JSON.stringify(shape)}`;
    const body = { response_format: { type: 'json_object' }, messages: [user(QUESTION)] };
    const shown = { ...body, messages: [system(instructions), user(QUESTION)] };
    expect(JSON.parse(await answerTo(shown))).toEqual({ reason: expect.stringContaining('Ann') });
    expect(JSON.parse(await answerTo(body))).toEqual({
      answer: expect.stringContaining('offline provider'),
    });
  });

  it('refuses a schema that has no instance', async () => {
    const [choice] = (await ask({ messages: [user('Why?')], ...asJson({ enum: [] }) })).choices;
    expect(choice!.message.content).toBeNull();
    expect(choice!.message.refusal).toContain('JSON Schema');
  });

  it('ends before a stop sequence', async () => {
    const { choices } = await ask({ messages: [user('Why?')], stop: ['zzz', ' offline'] });
    expect(choices[0]!.message.content).toMatch(/This is Witan's$/u);
    expect(choices[0]!.finish_reason).toBe('stop');
  });

  it('ends with the finish reason length at the token limit, and counts its tokens', async () => {
    const { choices, usage } = await ask({ messages: [user('Why?')], max_completion_tokens: 7 });
    expect(choices[0]!.finish_reason).toBe('length');
    expect(usage['completion_tokens']).toBe(7);
    expect(usage['total_tokens']).toBe(usage['prompt_tokens']! + 7);
  });

  it('refuses invalid messages and names them', async () => {
    const { status, text } = await send({ messages: [user('Why?'), 3] });
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: { param: 'messages[1]' } }]);
  });

  it('gives `n` equal choices and ignores log probabilities', async () => {
    const one = await ask({ messages: [user('Why?')] });
    const three = await ask({ messages: [user('Why?')], n: 3, logprobs: true, top_logprobs: 2 });
    const [choice] = one.choices;
    expect(three.choices).toEqual([0, 1, 2].map((index) => ({ ...choice, index })));
    expect(three.usage['completion_tokens']).toBe(3 * one.usage['completion_tokens']!);
    expect((await ask({ messages: [user('Why?')], n: 'x' })).choices).toEqual([choice]);
  });

  it('streams `n` equal choices', async () => {
    const { text } = await send({ messages: [user('Why?')], n: 2, stream: true });
    const chunks = text
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .map((frame) => JSON.parse(frame.slice(6)) as { choices: { index: number }[] });
    const frames = (index: number) =>
      chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
    expect(frames(0).length).toBeGreaterThan(2);
    expect(frames(1)).toEqual(frames(0).map((choice) => ({ ...choice, index: 1 })));
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('reads a megabyte of hostile text in bounded time', async () => {
    const before = process.threadCpuUsage();
    for (const piece of ['\n', ': ', '"', "?'", 'a. ', 'A-a@', '--- A ---\n', '保']) {
      const text = piece.repeat(1_000_000 / piece.length);
      await send({ messages: [system(text), user(text), user('What is a?')] });
    }
    expect(process.threadCpuUsage(before).user).toBeLessThan(10_000_000);
  });
});

describe('tools of the offline provider', () => {
  const toTool = (name: string, properties: object, required: string[]) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties, required } },
  });
  const weather = toTool('get_weather', { city: { type: 'string' } }, ['city']);
  const shipping = toTool('quoteShipping', { weight: { type: 'integer', minimum: 1 } }, ['weight']);
  const choose = async (question: string, more: object = {}) => {
    const body = { messages: [user(question)], tools: [weather, shipping], ...more };
    return (await ask(body)).choices[0]!;
  };

  it.each<[string, string, object, string | undefined]>([
    ['the tool that the question names', 'What is the weather in Rome?', {}, 'get_weather'],
    ['none without a match', 'Which city did you grow up in?', {}, undefined],
    ['a required one', 'Hello', { tool_choice: 'required' }, 'get_weather'],
    ['no forbidden one', 'What is the weather?', { tool_choice: 'none' }, undefined],
    [
      'the forced one',
      'What is the weather?',
      { tool_choice: { type: 'function', function: { name: 'quoteShipping' } } },
      'quoteShipping',
    ],
  ])('call %s', async (_name, question, more, expected) => {
    const { message, finish_reason: reason } = await choose(question, more);
    expect(message.tool_calls?.[0]?.function.name).toBe(expected);
    expect(reason).toBe(expected === undefined ? 'stop' : 'tool_calls');
  });

  it('get arguments of their schema, with names of the question', async () => {
    const { message } = await choose('What is the weather in Rome?');
    expect(JSON.parse(message.tool_calls![0]!.function.arguments)).toEqual({ city: 'Rome' });
  });

  it('have their results quoted instead of being called again', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
    const messages = [
      user('What is the weather in Rome?'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '29 degrees and sunny' },
    ];
    const { message } = (await ask({ messages, tools: [weather] })).choices[0]!;
    expect(message.content).toContain('“29 degrees and sunny” (tool result)');
  });
});
