import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { leaveUnmasked } from '../masking/mask-request.ts';
import type { CompleteRequest, WireBody } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import { neutralRequest, userTurn, wireRequest } from '../../test/requests.ts';
import { readWireBody } from './plan.ts';
import type { RequestInput } from '../masking/mask-request.ts';
import { prepareEgress } from './egress.ts';
import type { Egress } from './attempt.ts';

const CAP = 1_000;
const CHAT = { dialect: 'chat-completions' } as const;
const MESSAGES = { dialect: 'messages' } as const;

const prepare = async (
  text: string,
  { dialect = 'chat-completions', model = '', systemPreamble = '' }: Partial<CallOptions> = {},
) => {
  const source = Buffer.from(text);
  const request = wireRequest(dialect);
  const wire = { ...(request.input.value as WireBody), json: source };
  const input = readWireBody(wire);
  const target = { model: model || input.summary.model, maxOutputTokens: CAP };
  return {
    source,
    egress: await prepareEgress({ input, systemPreamble }, { dialect }, target, leaveUnmasked),
  };
};
type CallOptions = { dialect: DialectName; model: string; systemPreamble: string };
const textOf = async (text: string, output: Partial<CallOptions> = {}): Promise<string> =>
  Buffer.from((await prepare(text, output)).egress.bytes).toString('utf8');

const send = (request: CompleteRequest, provider: { dialect: DialectName }): Promise<Egress> => {
  const { case: form, value } = request.input;
  const input: RequestInput =
    form === 'conversation'
      ? { form: 'neutral', conversation: value }
      : readWireBody(value as WireBody);
  const target = { model: 'other', maxOutputTokens: CAP };
  const { systemPreamble } = request;
  return prepareEgress({ input, systemPreamble }, provider, target, leaveUnmasked);
};
const bodyOf = ({ bytes }: Egress): Record<string, unknown> =>
  JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;

const HEAD = '{ "model":"gpt-5",\n "messages":[{"role":"user","content":"\\u00e9 1.0"}]';
const MESSAGE_HEAD =
  '{ "model":"claude-x",\n "system":"Be kind.","messages":[{"role":"user","content":"\\u00e9 1.0"}]';

describe('a body in the provider’s own dialect', () => {
  it.each([
    ['a plain body', `${HEAD}}`],
    [
      'unknown fields, unusual escapes and huge numbers',
      `${HEAD},"x":{"n":1e400,"i":12345678901234567890}}`,
    ],
    ['a limit below the cap', `${HEAD},"max_tokens":999}`],
    ['a limit at the cap', `${HEAD},"max_completion_tokens":1000}`],
    ['a limit that is null', `${HEAD},"max_tokens":null}`],
    [
      'a stream that asks for usage itself',
      `${HEAD},"stream":true,"stream_options":{"include_usage":true}}`,
    ],
    ['a duplicate member', `${HEAD},"user":"a","user":"b"}`],
  ])('keeps the bytes of %s', async (_name, text) => {
    const { source, egress } = await prepare(text);
    expect(egress.bytes).toBe(source);
    expect(egress).toMatchObject({ isNeutral: false, dropped: [] });
  });

  it.each([
    ['a message', `${MESSAGE_HEAD},"max_tokens":1000}`],
    ['a streamed message', `${MESSAGE_HEAD},"max_tokens":9,"stream":true}`],
    [
      'signatures, cache marks and unknown fields',
      `${MESSAGE_HEAD},"max_tokens":9,"x":[{"cache_control":{"type":"ephemeral"},"signature":"c2ln","n":1e400}]}`,
    ],
  ])('keeps the bytes of %s', async (_name, text) => {
    const { source, egress } = await prepare(text, MESSAGES);
    expect(egress.bytes).toBe(source);
    expect(egress).toMatchObject({ isNeutral: false, dropped: [] });
  });

  it('gets the target’s model and is otherwise unchanged', async () => {
    expect(await textOf(`${HEAD},"x":1.0}`, { model: 'gpt-full' })).toBe(
      `${HEAD.replace('gpt-5', 'gpt-full')},"x":1.0}`,
    );
    expect(await textOf(`${MESSAGE_HEAD},"x":1.0}`, { ...MESSAGES, model: 'claude-full' })).toBe(
      `${MESSAGE_HEAD.replace('claude-x', 'claude-full')},"x":1.0}`,
    );
  });

  it.each(['max_tokens', 'max_completion_tokens'])('has %s clamped to the cap', async (name) => {
    expect(await textOf(`${HEAD},"${name}":1001}`)).toBe(`${HEAD},"${name}":1000}`);
    expect(await textOf(`${HEAD},"${name}":1e9,"z":0}`)).toBe(`${HEAD},"${name}":1000,"z":0}`);
  });

  it('has both limits clamped when both are present', async () => {
    expect(await textOf(`${HEAD},"max_tokens":5000,"max_completion_tokens":6000}`)).toBe(
      `${HEAD},"max_tokens":1000,"max_completion_tokens":1000}`,
    );
  });

  it('has the limit of a message clamped together with its thinking budget', async () => {
    expect(await textOf(`${MESSAGE_HEAD},"max_tokens":5000}`, MESSAGES)).toBe(
      `${MESSAGE_HEAD},"max_tokens":1000}`,
    );
    const thinking = '"thinking":{"type":"enabled","budget_tokens":4000}';
    const sent = await textOf(`${MESSAGE_HEAD},"max_tokens":5000,${thinking}}`, MESSAGES);
    // The smallest thinking budget is 1,024 tokens, more than the clamped limit, so thinking is
    // disabled.
    expect(sent).toBe(`${MESSAGE_HEAD},"max_tokens":1000,"thinking":{"type":"disabled"}}`);
  });

  it.each([
    ['no options', '', { include_usage: true }],
    ['empty options', ',"stream_options":{}', { include_usage: true }],
    ['options that are null', ',"stream_options":null', { include_usage: true }],
    ['usage switched off', ',"stream_options":{"include_usage":false}', { include_usage: true }],
    [
      'other options',
      ',"stream_options":{"include_obfuscation":false,"future":[1]}',
      { include_obfuscation: false, future: [1], include_usage: true },
    ],
  ])('requests usage in a stream with %s', async (_name, options, expected) => {
    const sent = JSON.parse(await textOf(`${HEAD},"stream":true${options}}`)) as Record<
      string,
      unknown
    >;
    expect(sent.stream_options).toEqual(expected);
    expect(sent.stream).toBe(true);
  });

  it('does not request usage without streaming', async () => {
    expect(await textOf(`${HEAD},"stream":false}`)).toBe(`${HEAD},"stream":false}`);
  });

  it('has the preamble after the client’s instructions and is otherwise unchanged', async () => {
    const systemPreamble = 'Facts:\n"1"';
    const json = JSON.stringify(systemPreamble);
    expect(await textOf(`${HEAD},"x":1.0}`, { systemPreamble })).toBe(
      `${HEAD.replace('[{', `[{"role":"system","content":${json}},{`)},"x":1.0}`,
    );
    const block = (text: string): string => `{"type":"text","text":${text}}`;
    expect(await textOf(`${MESSAGE_HEAD},"x":1.0}`, { ...MESSAGES, systemPreamble })).toBe(
      `${MESSAGE_HEAD.replace('"Be kind."', `[${block('"Be kind."')},${block(json)}]`)},"x":1.0}`,
    );
  });

  it('has the preamble and the edits together', async () => {
    const output = { systemPreamble: 'Facts.', model: 'gpt-full' };
    expect(JSON.parse(await textOf(`${HEAD},"max_tokens":5000}`, output))).toMatchObject({
      model: 'gpt-full',
      max_tokens: CAP,
      messages: [{ role: 'system', content: 'Facts.' }, { role: 'user' }],
    });
  });
});

describe('the reported output limit', () => {
  it.each([
    ['none', '', undefined],
    ['a limit', ',"max_tokens":10', 10],
    ['a limit above the cap', ',"max_tokens":1e300', CAP],
    ['the larger of two', ',"max_tokens":10,"max_completion_tokens":30', 30],
  ])("is the client's, clamped to the cap: %s", async (_name, limits, expected) => {
    const { egress } = await prepare(`${HEAD}${limits}}`);
    expect(egress.outputTokens).toBe(expected);
  });
});

describe('a body for a provider of the other dialect', () => {
  it('is encoded with the target’s model and the clamped limit', async () => {
    const egress = await send(wireRequest('chat-completions', { max_tokens: 5_000 }), MESSAGES);
    expect(bodyOf(egress)).toEqual({
      model: 'other',
      max_tokens: CAP,
      messages: [{ role: 'user', content: 'Good morning!' }],
    });
    expect(egress).toMatchObject({ isNeutral: true, dropped: [] });
  });

  it('leaves room for reasoning, and reports the limit that is sent', async () => {
    const request = wireRequest('messages', { max_tokens: 100 });
    const input = readWireBody(request.input.value as WireBody);
    const target = { model: 'gpt-5', maxOutputTokens: 5_000 };
    const egress = await prepareEgress({ input, systemPreamble: '' }, CHAT, target, leaveUnmasked);
    expect(bodyOf(egress)).toMatchObject({ max_completion_tokens: 5_000 });
    expect(egress.outputTokens).toBe(5_000);
  });

  it('requests usage of a chat-completions stream', async () => {
    const egress = await send(wireRequest('messages', { stream: true }), CHAT);
    expect(bodyOf(egress)).toMatchObject({
      model: 'other',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('names the fields dropped by decoding and encoding, each once and sorted', async () => {
    const body = { seed: 1, logit_bias: { 5: 1 }, user: 'u', service_tier: 'auto' };
    const egress = await send(wireRequest('chat-completions', body), MESSAGES);
    expect(egress.dropped).toEqual(['logit_bias', 'seed', 'service_tier']);
  });

  it.each([
    ['chat-completions', MESSAGES],
    ['messages', CHAT],
  ] as const)('has the preamble after the instructions of a %s body', async (dialect, provider) => {
    const own =
      dialect === 'messages'
        ? { system: 'Be kind.' }
        : {
            messages: [
              { role: 'system', content: 'Be kind.' },
              { role: 'user', content: 'Hi' },
            ],
          };
    const text = JSON.stringify(
      bodyOf(await send(wireRequest(dialect, own, { systemPreamble: 'Facts: 1.' }), provider)),
    );
    expect(text).toContain('Facts: 1.');
    expect(text.indexOf('Be kind.')).toBeLessThan(text.indexOf('Facts: 1.'));
  });

  it('is refused with the name of the field that cannot be expressed', async () => {
    const refused = send(wireRequest('chat-completions', { n: 3 }), MESSAGES);
    await expect(refused).rejects.toEqual(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: { param: 'n', code: 'unsupported_parameter' },
      }),
    );
  });
});

describe('a conversation in the neutral form', () => {
  it.each([CHAT, MESSAGES])('is encoded in the provider’s dialect: %j', async (provider) => {
    const conversation = { system: [{ text: 'Be kind.' }], turns: [userTurn('Hi')] };
    const request = neutralRequest(conversation, { systemPreamble: 'Facts.' });
    const egress = await send(request, provider);
    const text = JSON.stringify(bodyOf(egress));
    for (const word of ['Be kind.', 'Facts.', 'Hi', '"model":"other"'])
      expect(text).toContain(word);
    expect(egress).toMatchObject({ isNeutral: true, dropped: [] });
    // The request is unchanged, because a fallback may have to encode the same conversation again.
    expect(request.input.value).toMatchObject({ system: [{ text: 'Be kind.' }] });
  });
});

describe('the egress hash', () => {
  const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  it.each([
    ['unchanged', prepare(`${HEAD}}`).then(({ egress }) => egress)],
    [
      'edited',
      prepare(`${HEAD},"max_tokens":5000}`, { model: 'gpt-full' }).then(({ egress }) => egress),
    ],
    ['with a preamble', prepare(`${HEAD}}`, { systemPreamble: 'é' }).then(({ egress }) => egress)],
    ['translated', send(wireRequest('messages'), CHAT)],
    ['from the neutral form', send(neutralRequest(), CHAT)],
  ])('covers the exact bytes: %s', async (_name, egress) => {
    const { bytes, sha256 } = await egress;
    expect(sha256).toBe(hashOf(bytes));
  });
});
