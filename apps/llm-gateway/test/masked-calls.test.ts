import { describe, expect, it } from '@jest/globals';
import { DIALECTS } from '@witan/dialects';
import type { DialectName } from '@witan/dialects';
import { commitAnswer } from '@witan/proof';
import type { ProviderAnswer, ProviderRequest } from '../src/provider/provider.ts';
import { createFakeProvider } from './fake-provider.ts';
import type { FakeProviderOptions } from './fake-provider.ts';
import { UNMASKABLE_TEXT } from './masking.ts';
import { openCompletions } from './open-completions.ts';
import type { Outcome, TestCompletions } from './open-completions.ts';
import {
  answerOf,
  chatFrame,
  DONE,
  replyInChat,
  replyInMessages,
  replyInResponses,
  streamOf,
} from './provider-answers.ts';
import { readAsClient } from './read-as-client.ts';
import { wireRequest } from './requests.ts';

const MAIL = 'ann.lee@corp.io';
const PHONE = '+44 555123';
const PROMPT = `Write to Ann Lee at ${MAIL}, or call ${PHONE}.`;
const VALUES = ['Ann Lee', MAIL, PHONE];

const NAMES = Object.keys(DIALECTS) as DialectName[];
const DIALECT_PAIRS = NAMES.flatMap((client) =>
  NAMES.map((provider): [client: DialectName, provider: DialectName] => [client, provider]),
);

const placeholdersIn = (body: Uint8Array): string[] => [
  ...new Set(
    Buffer.from(body)
      .toString()
      .match(/\[\[[A-Z]+_[A-Z2-7]{6}\]\]/g),
  ),
];

/**
 * Returns a provider's reply function, which repeats the placeholders of the request and calls a
 * tool with them. A stream has them in pieces of `pieceLength`.
 */
const replyWithEcho =
  (dialect: DialectName, pieceLength = 1) =>
  (call: ProviderRequest): ProviderAnswer => {
    const text = `Done: ${placeholdersIn(call.body).join(', ')}!`;
    const json = JSON.stringify({ to: placeholdersIn(call.body), note: 'a "b"' });
    const cut = (content: string): string[] =>
      content.match(new RegExp(`[^]{1,${pieceLength}}`, 'g')) ?? [];
    if (dialect === 'messages') {
      const use = { type: 'tool_use' as const, id: 'toolu_a', name: 'send', input: cut(json) };
      return replyInMessages({ blocks: [{ type: 'text', text: cut(text) }, use] }, call.body);
    }
    const called = { id: 'call_a', name: 'send', arguments: json };
    if (dialect === 'responses') {
      return replyInResponses({ text: cut(text), calls: [called] }, call.body);
    }
    if (!Buffer.from(call.body).includes('"stream":true')) {
      return replyInChat({ content: text, toolCalls: [called] }, call.body);
    }
    const opening = { index: 0, id: 'call_a', type: 'function', function: { name: 'send' } };
    const deltas = [
      { role: 'assistant', content: '' },
      ...cut(text).map((content) => ({ content })),
      { tool_calls: [opening] },
      ...cut(json).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    ];
    const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
    return streamOf([...[...chunks, end].map(chatFrame), DONE]);
  };

type SetupOptions = { dialect?: DialectName; name?: string; reply: FakeProviderOptions['reply'] };

const open = ({ dialect = 'chat-completions', name = 'a', reply }: SetupOptions) => {
  const provider = createFakeProvider({ name, dialect, reply: reply! });
  const completions = openCompletions({ providers: [provider] });
  return { ...completions, provider };
};

const ask = (
  completions: TestCompletions,
  client: DialectName,
  body: object = {},
): Promise<Outcome> =>
  completions.read(
    wireRequest(client, {
      [client === 'responses' ? 'input' : 'messages']: [{ role: 'user', content: PROMPT }],
      ...body,
    }),
  );

describe.each(DIALECT_PAIRS)('personal data of a %s call to a %s provider', (client, dialect) => {
  it.each([
    ['plain', false, 1],
    ['streamed in pieces of one character', true, 1],
    ['streamed in pieces of seven', true, 7],
    ['streamed in one piece', true, 10_000],
  ])('is not sent, and is restored in the answer: %s', async (_name, stream, pieceLength) => {
    const setup = open({ dialect, reply: replyWithEcho(dialect, pieceLength) });
    const { events, failure } = await ask(setup, client, { stream });
    expect(failure).toBe('');
    const sentBody = Buffer.from(setup.provider.calls[0]!.body).toString();
    for (const value of VALUES) expect(sentBody).not.toContain(value);

    const answer = readAsClient(DIALECTS[client], events, stream);
    const [{ content, toolCalls }] = answer.choices as [(typeof answer.choices)[number]];
    expect(content).toBe(`Done: ${VALUES.join(', ')}!`);
    expect(toolCalls.map(({ name }) => name)).toEqual(['send']);
    expect(JSON.parse(toolCalls[0]!.arguments)).toEqual({ to: VALUES, note: 'a "b"' });
    expect(answer.text).not.toContain('[[');

    const [draft] = setup.certified;
    expect(draft!.answer.sha256).toBe(commitAnswer(answer.choices));
    expect(draft!.egress).toMatchObject({
      masked: 3,
      categories: ['EMAIL', 'PERSON', 'PHONE'],
      uninspected: 0,
    });
  });
});

describe('a masked request body', () => {
  const sentBody = async (body: object, setup: Partial<SetupOptions> = {}): Promise<string> => {
    const { provider, ...completions } = open({ reply: () => answerOf(['{}']), ...setup });
    await ask(completions, provider.dialect, body);
    return Buffer.from(provider.calls[0]!.body).toString();
  };

  it('is equal for equal calls and has other placeholders for another provider', async () => {
    expect(await sentBody({})).toBe(await sentBody({}));
    const other = await sentBody({}, { name: 'b' });
    expect(placeholdersIn(Buffer.from(other))).not.toEqual(
      placeholdersIn(Buffer.from(await sentBody({}))),
    );
  });

  it('keeps the placeholder of a value in later turns, and earlier bytes unchanged', async () => {
    const messages = [{ role: 'user', content: PROMPT }];
    const first = await sentBody({ messages });
    const longerMessages = [
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: `And ${MAIL}?` },
    ];
    const second = await sentBody({ messages: [...messages, ...longerMessages] });
    expect(second.startsWith(first.slice(0, first.lastIndexOf('}]')))).toBe(true);
  });

  it('is masked in every text, and nowhere else', async () => {
    const body = await sentBody({
      metadata: { who: MAIL },
      tools: [
        {
          type: 'function',
          function: {
            name: 'send',
            description: `Mails ${MAIL}`,
            parameters: { type: 'object', properties: { to: { enum: [MAIL], default: MAIL } } },
          },
        },
      ],
      messages: [
        { role: 'system', content: MAIL },
        { role: 'user', name: 'Ann Lee', content: [{ type: 'text', text: MAIL }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: MAIL,
              type: 'function',
              function: { name: 'send', arguments: JSON.stringify({ to: MAIL, [MAIL]: 1 }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: MAIL, content: JSON.stringify([{ mail: MAIL }]) },
      ],
    });
    const unmasked = body.split(MAIL).length - 1;
    // One enum value and two ids are not masked.
    expect(unmasked).toBe(3);
    expect(body.split('[[EMAIL_').length - 1).toBe(8);
    expect(() => JSON.parse(body) as unknown).not.toThrow();
  });

  it('escapes text that looks like a placeholder, and restores it', async () => {
    const setup = open({ reply: replyWithEcho('chat-completions') });
    const content = `${MAIL} is not [[EMAIL_ABCDEF]]`;
    const { events } = await ask(setup, 'chat-completions', {
      messages: [{ role: 'user', content }],
    });
    expect(Buffer.from(setup.provider.calls[0]!.body).toString()).not.toContain('EMAIL_ABCDEF');
    const { choices } = readAsClient(DIALECTS['chat-completions'], events, false);
    expect(choices[0]!.content).toBe(`Done: ${MAIL}, [[EMAIL_ABCDEF]]!`);
    expect(setup.certified[0]!.egress).toMatchObject({ masked: 1 });
  });

  it('counts media as uninspected', async () => {
    const setup = open({ reply: () => answerOf(['{}']) });
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,AAAA` } };
    await ask(setup, 'chat-completions', {
      messages: [{ role: 'user', content: [image, image, { type: 'text', text: 'Hi' }] }],
    });
    expect(setup.certified[0]!.egress).toMatchObject({ masked: 0, categories: [], uninspected: 2 });
  });

  it('is not sent when masking fails', async () => {
    const setup = open({ reply: () => answerOf(['{}']) });
    const messages = [{ role: 'user', content: `${MAIL} ${UNMASKABLE_TEXT}` }];
    const { failure } = await ask(setup, 'chat-completions', { messages });
    expect(failure).toBe('INTERNAL');
    expect(setup.provider.calls).toEqual([]);
    expect(setup.log).toEqual([]);
  });
});

describe('a provider error', () => {
  it('has its placeholders restored for the client', async () => {
    const setup = open({
      reply: ({ body }) =>
        answerOf([JSON.stringify({ error: { message: `No: ${placeholdersIn(body)[1]}` } })], {
          status: 400,
        }),
    });
    const { events } = await ask(setup, 'chat-completions');
    const { text } = readAsClient(DIALECTS['chat-completions'], events, false);
    expect(text).toBe(JSON.stringify({ error: { message: `No: ${MAIL}` } }));
  });
});
