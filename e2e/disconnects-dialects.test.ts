import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { answerMessageWith, answerWith, createGate, eventually, neverAnswer } from '@witan/testing';
import type { Gate, Script } from '@witan/testing';
import { countReservations } from './count-reservations.ts';
import { CHAT, MESSAGE_PING, MESSAGES, PING, RESPONSE_PING, RESPONSES } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const CONTENT = ['one', 'two', 'three'];

type ProviderDialect = 'chat' | 'messages';

/** The combinations of client and provider dialect that `disconnects.test.ts` does not cover. */
const CALLS: [string, string, object, ProviderDialect][] = [
  ['of messages', MESSAGES, MESSAGE_PING, 'messages'],
  [
    'of chat completions for a provider of messages',
    CHAT,
    { ...PING, model: 'claude-test' },
    'messages',
  ],
  [
    'of messages for a provider of chat completions',
    MESSAGES,
    { ...MESSAGE_PING, model: 'gpt-test' },
    'chat',
  ],
  ['of responses for a provider of chat completions', RESPONSES, RESPONSE_PING, 'chat'],
];

const stallInBody: Script = async ({ response, closeSignal }) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"id":');
  await new Promise((resolve) => {
    closeSignal.addEventListener('abort', resolve);
  });
};

/**
 * Returns a gate that lets `frameCount` frames pass; `reached` resolves when the provider is about
 * to send the frame after them.
 */
const createGateFor = (frameCount: number): { gate: Gate; reached: Promise<void> } => {
  const gate = createGate();
  gate.release(frameCount);
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let passCount = 0;
  const pass = (): Promise<void> => {
    passCount += 1;
    if (passCount > frameCount) resolve();
    return gate.pass();
  };
  return { gate: { ...gate, pass }, reached };
};

/** Number of frames of a stream up to and including its first piece of text. */
const FRAMES_TO_FIRST_TEXT: Record<ProviderDialect, number> = { chat: 2, messages: 4 };

const toStreamScript = (dialect: ProviderDialect, gate: Gate): Script =>
  dialect === 'chat'
    ? answerWith({ content: CONTENT }, { gate })
    : answerMessageWith({ content: CONTENT }, { gate });

type AbortMoment = { script: Script; reached?: Promise<void> };

const beforeFirstText = (dialect: ProviderDialect): AbortMoment => {
  const { gate, reached } = createGateFor(FRAMES_TO_FIRST_TEXT[dialect] - 1);
  return { script: toStreamScript(dialect, gate), reached };
};

describe.each(TRANSPORTS)('a client that disconnects, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const nextCallNumber = (): number => fixture.provider.requests.length + 1;

  /**
   * Waits until the provider has seen its request `callNumber` aborted. Returns the certificate at
   * index `before` of the chain.
   */
  const readAbortedCertificate = async (
    callNumber: number,
    before: number,
  ): Promise<Certificate> => {
    expect((await fixture.provider.whenAborted(callNumber)).aborted).toBe(true);
    return eventually(
      async () => (await fixture.client.listCertificates()).at(before),
      'the certificate of the aborted call',
    );
  };

  describe.each(CALLS)('during a call %s', (_name, path, body, dialect) => {
    it.each<[string, boolean, () => AbortMoment]>([
      ['before headers', true, () => ({ script: neverAnswer() })],
      ['before the first event', true, () => ({ script: neverAnswer({ sendHeaders: true }) })],
      ['before the first token', true, () => beforeFirstText(dialect)],
      ['before the headers of a plain answer', false, () => ({ script: neverAnswer() })],
      ['inside the body of a plain answer', false, () => ({ script: stallInBody })],
    ])('stops the provider and is certified as aborted: %s', async (_moment, stream, toMoment) => {
      const callNumber = nextCallNumber();
      const before = (await fixture.client.listCertificates()).length;
      const { script, reached } = toMoment();
      fixture.provider.script(script);
      const controller = new AbortController();
      const init = { body: { ...body, stream }, signal: controller.signal };
      const abortedCall = fixture.client.send(path, init).catch((error: unknown) => String(error));
      await fixture.provider.whenRequest(callNumber);
      await reached;
      controller.abort();
      expect(await abortedCall).toContain('abort');
      const { payload } = await readAbortedCertificate(callNumber, before);
      expect(payload.response).toMatchObject({
        finishReason: 'aborted',
        usage: { completionTokens: expect.any(Number) },
      });
    });

    it('in mid-stream stops the provider, and the delivered part is certified', async () => {
      const callNumber = nextCallNumber();
      const before = (await fixture.client.listCertificates()).length;
      const { gate } = createGateFor(FRAMES_TO_FIRST_TEXT[dialect]);
      fixture.provider.script(toStreamScript(dialect, gate));
      const controller = new AbortController();
      const init = { body: { ...body, stream: true }, signal: controller.signal };
      const response = await fixture.client.open(path, init);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('"one"')) text += (await reader.read()).value;
      controller.abort();
      const { payload } = await readAbortedCertificate(callNumber, before);
      expect(payload.id).toBe(response.headers.get('x-service-proof'));
      expect(payload.response).toMatchObject({
        finishReason: 'aborted',
        sha256: commitAnswer([{ index: 0, content: 'one', toolCalls: [] }]),
      });
    });
  });

  it('leaves no open reservation, and the next calls succeed', async () => {
    await eventually(async () => {
      const heldCount = await countReservations(fixture.system, 'held');
      return heldCount === 0 ? true : undefined;
    }, 'the end of every reservation');
    for (const [, path, body] of CALLS) {
      expect((await fixture.client.send(path, { body })).status).toBe(200);
    }
  });
});
