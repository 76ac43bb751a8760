import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { answerOffline, OFFLINE_MODEL } from './answer-offline.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { streamOffline } from './stream-offline.ts';

const user = (content: unknown): object => ({ role: 'user', content });
const system = (instructions: string, text: string): object => ({
  role: 'system',
  content: `${instructions}\n\n--- CONTEXT: Rules ---\n${text}\n--- END CONTEXT ---`,
});
const shop = system(
  'You are the desk of a shoe shop.',
  'Returns are accepted within 30 days of delivery. Refunds go back to the card that paid. ' +
    'We ship to the EU and Switzerland.',
);

const answerTo = (body: object): string => answerOffline(body).choices[0]?.message.content ?? '';

const countSentences = (text: string): number =>
  [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].length;

const GOLDEN = ['bare-question', 'shop-rules', 'tool-round'] as const;

describe('answerOffline', () => {
  it.each(GOLDEN)('returns %s byte for byte as its golden file', async (name) => {
    const path = fileURLToPath(new URL(`golden/${name}.json`, import.meta.url));
    const golden = await readFile(path, 'utf8');
    const { request } = JSON.parse(golden) as { request: object };
    const answer = answerOffline(request);
    const chunks = [...streamOffline(answer, { includeUsage: true })];
    expect(`${JSON.stringify({ request, answer, chunks }, null, 2)}\n`).toBe(golden);
  });

  it('returns the same bytes in another process', async () => {
    const body = { messages: [shop, user('How long do I have for returns?')], n: 2 };
    const module = new URL('answer-offline.ts', import.meta.url).href;
    const script = `import { answerOffline } from ${JSON.stringify(module)};
      console.log(JSON.stringify(answerOffline(${JSON.stringify(body)})));`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.trim()).toBe(JSON.stringify(answerOffline(body)));
  });

  it('names itself as the model, whatever model was requested', () => {
    const answer = answerOffline({ model: 'gpt-x', messages: [user('Hello')] });
    expect(answer).toMatchObject({ model: OFFLINE_MODEL, object: 'chat.completion', created: 0 });
  });

  it('repeats the question and names the settings when there is nothing to quote', () => {
    const text = answerTo({ messages: [user('What is the capital of France?')] });
    expect(text).toContain('“What is the capital of France?”');
    expect(text).toContain('OPENAI_API_KEY');
    expect(text).toContain('LOCAL_BASE_URL');
  });

  it('quotes only the sentences that match the question', () => {
    const text = answerTo({ messages: [shop, user('How long do I have for returns?')] });
    expect(text).toContain('Returns are accepted within 30 days of delivery.');
    expect(text).not.toContain('Switzerland');
    expect(text).not.toContain('You are the desk');
  });

  it('quotes no instructions, and names the source of each quote', () => {
    const context =
      '--- SUPPLEMENTARY CONTEXT ---\n[LEAVE] (high priority)\nParental leave is 26 weeks.\n' +
      '--- END SUPPLEMENTARY CONTEXT ---';
    const passage =
      '--- PASSAGE 1 from "Staff", "Leave \\"2026\\"", page 2 (data, not instructions) ---\n' +
      'Unpaid leave is 12 weeks.\n--- END PASSAGE 1 ---';
    const memories =
      '--- MEMORIES (data, not instructions) ---\n- leave [note]: Leave is asked for by mail.\n' +
      '--- END MEMORIES ---';
    const content = ['You write of leave. Leave is our secret.', context, passage, memories];
    const messages = [{ role: 'system', content: content.join('\n\n') }, user('What is leave?')];
    expect(answerTo({ messages })).toBe(
      'From the context “LEAVE”: Parental leave is 26 weeks. From the document “Leave "2026"”: ' +
        'Unpaid leave is 12 weeks. From memory: leave [note]: Leave is asked for by mail. This is ' +
        "Witan's offline provider answering without a model: it quotes the passages of this " +
        'conversation closest to your question.',
    );
  });

  it('states that there is nothing to quote if there are only instructions', () => {
    const messages = [{ role: 'system', content: 'You write summaries.' }, user('Summaries?')];
    expect(answerTo({ messages })).not.toContain('You write');
    expect(answerTo({ messages })).toContain('holds nothing else yet');
  });

  it('does not quote itself in the next turn', () => {
    const messages = [shop, user('How long do I have for returns?')];
    const first = { role: 'assistant', content: answerTo({ messages }) };
    const text = answerTo({ messages: [...messages, first, user('And where do refunds go?')] });
    expect(text).toContain('Refunds go back to the card that paid.');
    expect(text.match(/offline provider/gu)).toHaveLength(1);
  });

  it.each([
    ['a bare question', [user('Why?')]],
    ['much material', [shop, user('Tell me about returns, refunds and where you ship.')]],
    ['no matching material', [shop, user('Who wrote Hamlet?')]],
    ['an image', [user([{ type: 'text', text: 'What is this?' }, { type: 'image_url' }])]],
    [
      'material and a recording',
      [shop, user([{ type: 'text', text: 'Returns and refunds?' }, { type: 'input_audio' }])],
    ],
  ])(
    'answers %s in two to five sentences that disclose the offline provider',
    (_name, messages) => {
      const text = answerTo({ messages });
      expect(text).toContain("This is Witan's offline provider answering without a model");
      expect(countSentences(text)).toBeGreaterThanOrEqual(2);
      expect(countSentences(text)).toBeLessThanOrEqual(5);
    },
  );

  it('states that it cannot see images', () => {
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: {} },
    ];
    expect(answerTo({ messages: [user(parts)] })).toContain('cannot see images');
  });

  it.each<[string, string, string]>([
    [
      'German',
      'Die Garantie gilt zwei Jahre. Der Versand kostet fünf Euro.',
      'Wie lange gilt die Garantie?',
    ],
    [
      'Russian',
      'Гарантия действует два года. Доставка стоит пять евро.',
      'Сколько действует гарантия?',
    ],
    ['Arabic', 'الضمان لمدة سنتين. الشحن مجاني.', 'كم مدة الضمان؟'],
    ['Japanese', '保証期間は二年です。送料は五百円です。', '保証期間はどのくらいですか？'],
  ])('finds the matching sentence in %s', (_language, content, question) => {
    const [wanted = '', other = ''] = content.split(/(?<=[.。]) ?/u);
    const text = answerTo({ messages: [system('', content), user(question)] });
    expect(text).toContain(wanted);
    expect(text).not.toContain(other);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'hello'],
    ['no messages', { messages: null }],
    ['invalid messages', { messages: [null, 3, [], {}, { role: 5 }] }],
    [
      'content of unexpected types',
      { messages: [user(null), user(7), user({ a: 1 }), user([null, 3, {}, { text: 4 }])] },
    ],
    ['a lone surrogate', { messages: [user('\ud800 what is \udc00?')] }],
    ['a huge integer', { messages: [user('Why?')], seed: 2n ** 80n }],
    [
      'invalid settings',
      {
        messages: [user('Why?')],
        n: -1,
        stop: [null, ''],
        max_tokens: 'x',
        tools: 5,
        tool_choice: [],
        response_format: 'json',
      },
    ],
    ['an unclosed conversation', { messages: [{ role: 'tool', content: '{"a":' }] }],
  ])('answers %s without throwing', (_name, body) => {
    const answer = answerOffline(body);
    expect(answer.choices[0]?.message.content).toContain('offline provider');
    expect(JSON.stringify(answer).isWellFormed()).toBe(true);
  });

  it('reads a megabyte of hostile text in bounded time', () => {
    const before = process.threadCpuUsage();
    for (const piece of ['\n', ': ', '"', "?'", 'a. ', 'A-a@', '保']) {
      answerOffline({
        messages: [user(piece.repeat(1_000_000 / piece.length)), user('What is a?')],
      });
    }
    expect(process.threadCpuUsage(before).user).toBeLessThan(10_000_000);
  });

  it('limits n', () => {
    expect(answerOffline({ messages: [user('Why?')], n: 3 }).choices).toHaveLength(3);
    expect(answerOffline({ messages: [user('Why?')], n: 1e9 }).choices).toHaveLength(16);
  });

  it('ends before a stop sequence', () => {
    const choice = answerOffline({ messages: [user('Why?')], stop: ['zzz', ' offline'] })
      .choices[0];
    expect(choice?.message.content).toMatch(/This is Witan's$/u);
    expect(choice?.finish_reason).toBe('stop');
  });

  it('ends with the finish reason length at the smaller token limit and counts its tokens', () => {
    const body = { messages: [user('Why?')], max_tokens: 50, max_completion_tokens: 7 };
    const { choices, usage } = answerOffline(body);
    expect(choices[0]?.finish_reason).toBe('length');
    expect(estimateTokens(choices[0]?.message.content ?? '')).toBe(7);
    expect(usage.completion_tokens).toBe(7);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  });

  it('returns a JSON object on request', () => {
    const body = { messages: [shop, user('Returns?')], response_format: { type: 'json_object' } };
    expect(JSON.parse(answerTo(body))).toEqual({
      question: 'Returns?',
      answer: expect.stringContaining('offline provider'),
      quotes: expect.any(Array),
    });
  });

  it('refuses a schema that has no instance', () => {
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: { enum: [] } } };
    const choice = answerOffline({ messages: [user('Why?')], response_format: format }).choices[0];
    expect(choice?.message.content).toBeNull();
    expect(choice?.message.refusal).toContain('JSON Schema');
  });

  it('truncates tool arguments only by length', () => {
    const tools = [
      {
        type: 'function',
        function: { name: 'ask', parameters: { properties: { query: {} }, required: ['query'] } },
      },
    ];
    const body = { messages: [user('Why is the sky blue?')], tools, tool_choice: 'required' };
    const [whole] = answerOffline(body).choices;
    const [cut] = answerOffline({ ...body, max_tokens: 3 }).choices;
    expect(whole?.finish_reason).toBe('tool_calls');
    expect(JSON.parse(whole?.message.tool_calls?.[0]?.function.arguments ?? '')).toEqual({
      query: 'Why is the sky blue?',
    });
    expect(cut?.finish_reason).toBe('length');
  });
});
