import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePublicKeys, parseSavedAnswer, verifyCertificate, verifyResponse } from '@witan/proof';
import type { CertificatePayload } from '@witan/proof';
import { respondWith, streamFrames, toResponseEvents } from '@witan/testing';
import type { Script } from '@witan/testing';
import { CHAT, MESSAGE_PING, MESSAGES, PING, RESPONSE_PING, RESPONSES } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

type Event = { type: string; [member: string]: unknown };

const EVENTS = toResponseEvents({
  model: 'gpt-test',
  text: ['We must ', 'not pay.'],
  calls: [{ id: 'call_1', name: 'hold', arguments: '{"to":"alice"}' }],
}) as unknown as Event[];

/** Returns the events with another text in those of a type that repeat it. */
const replaced = (from: string, to: string, ...types: string[]): Event[] =>
  EVENTS.map((event) =>
    types.includes(event.type)
      ? (JSON.parse(JSON.stringify(event).replaceAll(from, () => to)) as Event)
      : event,
  );

const EXTRA = {
  id: 'msg_2',
  type: 'message',
  role: 'user',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Pay mallory.', annotations: [] }],
};
const withExtraItem = EVENTS.map((event) => {
  if (event.type !== 'response.completed') return event;
  const response = event['response'] as { output: unknown[] };
  return { ...event, response: { ...response, output: [...response.output, EXTRA] } };
});

const TEXT = 'We must not pay.';
const ARGUMENTS = JSON.stringify('{"to":"alice"}').slice(1, -1);
const OTHER_ARGUMENTS = JSON.stringify('{"to":"mallory"}').slice(1, -1);
const END = 'response.completed';
const ITEM = 'response.output_item.done';

/** Streams whose end says otherwise than their deltas. */
const STREAMS: [string, Event[]][] = [
  ['another text', replaced(TEXT, 'Pay mallory.', END)],
  [
    'another text in each event that repeats it',
    replaced(
      TEXT,
      'Pay mallory.',
      END,
      ITEM,
      'response.output_text.done',
      'response.content_part.done',
    ),
  ],
  ['another tool', replaced('"hold"', '"pay"', END)],
  ['another tool in its item', replaced('"hold"', '"pay"', END, ITEM)],
  ['other arguments', replaced(ARGUMENTS, OTHER_ARGUMENTS, END)],
  ['other arguments in their item', replaced(ARGUMENTS, OTHER_ARGUMENTS, END, ITEM)],
  ['another id of a call', replaced('"call_1"', '"call_2"', END)],
  ['a further item', withExtraItem],
];

const toScript = (events: readonly Event[]): Script =>
  streamFrames(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    { sendDone: false },
  );

/** Writes a member twice: verifiers refuse such a text, because readers take one or the other. */
const withTwice = (json: string): string =>
  json.replace('"not pay."', () => '"mallory","delta":"not pay."');

const twiceFrames = EVENTS.map(
  (event) => `event: ${event.type}\ndata: ${withTwice(JSON.stringify(event))}\n\n`,
);

const CLIENTS = [
  [
    'responses',
    RESPONSES,
    { ...RESPONSE_PING, model: 'gpt-test', stream: true },
    'response.failed',
  ],
  ['chat completions', CHAT, { ...PING, stream: true }, '"error"'],
  ['messages', MESSAGES, { ...MESSAGE_PING, model: 'gpt-test', stream: true }, 'event: error'],
] as const;

describe('a provider that ends its stream with another answer', () => {
  let fixture: Fixture;
  let keys: ReturnType<typeof parsePublicKeys>;
  beforeAll(async () => {
    fixture = await openFixture({ env: { OPENAI_DIALECTS: 'responses' } });
    keys = parsePublicKeys((await fixture.client.send('/v1/gateway/public-key')).text);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const readCertificate = async (answer: Answer): Promise<CertificatePayload> => {
    const id = answer.headers.get('x-service-proof');
    const { text } = await fixture.client.send(`/v1/proofs/${id}`);
    return verifyCertificate(text, keys).payload;
  };
  const send = async (path: string, body: object, script: Script) => {
    fixture.provider.script(script);
    const answer = await fixture.client.send(path, { method: 'POST', body: JSON.stringify(body) });
    return { answer, payload: await readCertificate(answer) };
  };

  it.each(CLIENTS)(
    'fails before a frame that has a member twice: to a client of %s',
    async (_name, path, body, error) => {
      const script = streamFrames(twiceFrames, { sendDone: false });
      const { answer, payload } = await send(path, body, script);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(error);
      expect(answer.text).not.toMatch(/mallory|not pay/);
      expect(payload.response.finishReason).toBe('error');
      verifyResponse(payload, Buffer.from(answer.text));
    },
  );

  it.each([200, 400])(
    'is refused with a body that has a member twice, status %d',
    async (status) => {
      const { response } = EVENTS.at(-1) as unknown as { response: object };
      const error = { message: 'Gone', type: 'x', param: null, code: null };
      const json = JSON.stringify(status === 200 ? response : { error });
      const script = respondWith({ status, body: json.replace('{', '{"x":1,"x":2,') });
      const [, path, body] = CLIENTS[0];
      const { answer, payload } = await send(path, { ...body, stream: false }, script);
      expect(answer.status).toBe(502);
      expect(payload.response.finishReason).toBe('error');
      verifyResponse(payload, Buffer.from(answer.text));
    },
  );

  describe.each(CLIENTS)('to a client of %s', (_name, path, body, error) => {
    it('that is the same is passed on', async () => {
      const { answer, payload } = await send(path, body, toScript(EVENTS));
      expect(payload.response.finishReason).toBe('tool_calls');
      verifyResponse(payload, Buffer.from(answer.text));
    });

    it.each(STREAMS)(
      'fails it, certified as far as it was delivered: %s',
      async (_what, events) => {
        const { answer, payload } = await send(path, body, toScript(events));
        expect(answer.status).toBe(200);
        expect(answer.text).toContain(error);
        expect(answer.text).not.toMatch(/mallory|"pay"|call_2/);
        expect(payload.response.finishReason).toBe('error');
        const saved = Buffer.from(answer.text);
        verifyResponse(payload, saved);
        expect(parseSavedAnswer(saved)[0]?.content).toBe(TEXT);
      },
    );
  });
});
