import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { DialectName } from '@witan/dialects';
import { createDetectorFactory, createRestorer } from '@witan/privacy';
import { createDetectors, maskJson } from '../src/masking/mask-json.ts';
import type { MaskedJson } from '../src/masking/mask-json.ts';
import { DEFAULT_PRIVACY } from '../src/masking/privacy-settings.ts';

const MAIL = 'ann.lee@example.org';
const CARD = 4_111_111_111_111_111;
const IBAN = 'DE89370400440532013000';

const createDetector = createDetectorFactory();
const detectorFor = createDetectors({ createDetector, cacheBytes: 0 });
const key = new Uint8Array(32).fill(7);

const mask = (body: object, dialect: DialectName = 'chat-completions'): MaskedJson =>
  maskJson({ text: JSON.stringify(body), dialect, settings: DEFAULT_PRIVACY, key }, detectorFor);

const kindsOf = ({ counts }: MaskedJson): string[] => Object.keys(counts);

const ask = (content: unknown, more: object = {}): object => ({
  model: 'gpt-5',
  messages: [{ role: 'user', content }],
  ...more,
});

describe('JSON inside a text', () => {
  const JSON_WITH_PERSONAL_DATA = JSON.stringify({
    [MAIL]: 'paid',
    [IBAN]: 1,
    cards: [CARD],
    n: { number: CARD },
  });
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'pay', arguments: JSON_WITH_PERSONAL_DATA },
  };

  it.each<[string, object, DialectName]>([
    ['content', ask(JSON_WITH_PERSONAL_DATA), 'chat-completions'],
    [
      'a part of content',
      ask([{ type: 'text', text: JSON_WITH_PERSONAL_DATA }]),
      'chat-completions',
    ],
    [
      'arguments of a call',
      { messages: [{ role: 'assistant', content: null, tool_calls: [call] }] },
      'chat-completions',
    ],
    [
      'the result of a tool',
      { messages: [{ role: 'tool', tool_call_id: 'call_1', content: JSON_WITH_PERSONAL_DATA }] },
      'chat-completions',
    ],
    ['content', ask(JSON_WITH_PERSONAL_DATA), 'messages'],
    [
      'arguments of a call',
      ask([
        {
          type: 'tool_use',
          id: 'a',
          name: 'pay',
          input: JSON.parse(JSON_WITH_PERSONAL_DATA) as object,
        },
      ]),
      'messages',
    ],
    [
      'the result of a tool',
      ask([
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [{ type: 'text', text: JSON_WITH_PERSONAL_DATA }],
        },
      ]),
      'messages',
    ],
  ])('is masked in %s, including keys and numbers: %j', (_where, body, dialect) => {
    const masked = mask(body, dialect);
    expect(kindsOf(masked)).toEqual(['CREDIT_CARD', 'EMAIL', 'IBAN']);
    expect(masked.counts.CREDIT_CARD).toEqual({ values: 1, occurrences: 2 });
    for (const value of [MAIL, IBAN, String(CARD)]) expect(masked.text).not.toContain(value);
    expect(masked.uninspected).toBe(0);
    const { restoreJsonText } = createRestorer(masked.table);
    expect(restoreJsonText(masked.text)).toBe(JSON.stringify(body));
  });

  it('is masked in the keys of metadata', () => {
    const masked = mask(ask('Hi', { metadata: { [MAIL]: 'yes' } }));
    expect(kindsOf(masked)).toEqual(['EMAIL']);
    expect(masked.text).toMatch(/"metadata":\{"\[\[EMAIL_\w{6}\]\]":"yes"\}/);
  });
});

describe('a member that the provider validates', () => {
  it.each([
    ['numbers of the body', { seed: CARD, max_tokens: 5, logit_bias: { '50256': -100 } }],
    ['provider routing', { provider: { order: ['Grace', 'Novita'] }, models: ['ann/lee'] }],
    ['an answer pattern', { guided_regex: '(John Smith|Mary Jones)' }],
    ['choices', { guided_choice: ['John Smith'], structured_outputs: { choice: ['Ann Lee'] } }],
    ['a schema', { guided_json: { type: 'object', properties: { a: { enum: ['Ann Lee'] } } } }],
  ])('is unchanged: %s', (_what, members) => {
    const body = ask('Hi', members);
    expect(mask(body)).toMatchObject({ text: JSON.stringify(body), uninspected: 0 });
  });

  it('is unchanged, and personal data in it is counted as uninspected', () => {
    const schema = { properties: { [MAIL]: { enum: [MAIL, 'a'], pattern: `^${IBAN}$` } } };
    const tool = { type: 'function', function: { name: 'pay', parameters: schema } };
    const image = { type: 'image_url', image_url: { url: `https://x.io/${MAIL}.png` } };
    const body = ask([image], { tools: [tool], service_tier: MAIL });
    const masked = mask(body);
    expect(masked.text).toBe(JSON.stringify(body));
    expect(masked.counts).toEqual({});
    // Left unmasked: an image URL, an object key, an enum value, a pattern and the service tier.
    expect(masked.uninspected).toBe(5);
  });

  it('keeps the required form of participant names and file names', () => {
    const file = { filename: `${MAIL}.pdf`, file_data: 'data:application/pdf;base64,AAAA' };
    const body = {
      messages: [
        { role: 'system', name: 'Alice', content: 'Be brief.' },
        { role: 'user', name: 'ann_walker', content: [{ type: 'file', file }] },
        { role: 'user', name: MAIL, content: 'My name is Ann Walker. Call me.' },
        { role: 'tool', name: 'find_client', tool_call_id: 'a', content: 'None.' },
      ],
    };
    const masked = mask(body);
    const { messages } = JSON.parse(masked.text) as {
      messages: [object, { name: string; content: [{ file: typeof file }] }, object, object];
    };
    expect(messages[0]).toEqual(body.messages[0]);
    expect(messages[1].name).toMatch(/^person_[a-z2-7]{6}(?:_2)?$/);
    expect(messages[1].content[0].file.filename).toMatch(/^\[\[EMAIL_\w{6}\]\]\.pdf$/);
    expect(messages[2]).toMatchObject({
      name: expect.stringMatching(/^email_[a-z2-7]{6}(?:_2)?$/),
    });
    expect(messages[3]).toEqual(body.messages[3]);
  });
});

describe('a number in tool arguments', () => {
  it('is masked as a string placeholder and restored as a number', () => {
    const call = { name: 'pay', arguments: `{"card":${CARD},"amount":12}` };
    const body = { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: call }] }] };
    const masked = mask(body);
    const { messages } = JSON.parse(masked.text) as { messages: (typeof body)['messages'] };
    const output = messages[0]!.tool_calls[0]!.function.arguments;
    expect(output).toMatch(/^\{"card":"\[\[CREDIT_CARD_\w{6}\]\]","amount":12\}$/);
    const { restoreJsonText } = createRestorer(masked.table);
    expect(restoreJsonText(output)).toBe(call.arguments);
  });
});

const readSource = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('code and JSON without personal data', () => {
  const SOURCES = ['../package.json', './requests.ts', '../src/masking/mask-json.ts'];
  const RECORDS = JSON.stringify({
    orders: [{ id: 868_066_446, order: 'A-4111111111111111', createdAt: 1_726_060_062_403 }],
    accounts: 15_000_000,
    build: { commit: 'e2d3f9a17c40b6d58f1a2b3c4d5e6f708192a3b4', version: '12.16.12', seconds: 48 },
  });
  const FENCED_CODE_PROMPT = `Review this:\n\n\`\`\`ts\n${readSource('./requests.ts')}\n\`\`\`\nThanks.`;

  it.each(['chat-completions', 'messages'] as const)(
    'are sent to a %s provider unchanged',
    (dialect) => {
      for (const content of [...SOURCES.map(readSource), RECORDS, FENCED_CODE_PROMPT]) {
        const body = ask(content, { max_tokens: 100 });
        expect(mask(body, dialect)).toMatchObject({
          text: JSON.stringify(body),
          counts: {},
        });
      }
    },
  );
});
