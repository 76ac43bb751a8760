import { afterEach, describe, expect, it } from '@jest/globals';
import { verifyResponse } from '@witan/proof';
import type { Certificate } from '@witan/proof';
import { createGate, neverAnswer, streamFrames } from '@witan/testing';
import type { Script } from '@witan/testing';
import { PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const STREAM = { ...PING, stream: true };
const content = { choices: [{ index: 0, delta: { content: 'begun' } }] };

const upstreamTimeout = {
  error: {
    message: expect.any(String),
    type: 'server_error',
    param: null,
    code: 'upstream_timeout',
  },
};

/** Returns a script that sends the first chunk and then nothing, without ending the stream. */
const sendOneChunkThenStall = (): Script => {
  const gate = createGate();
  gate.release();
  return streamFrames([content, 'never sent'], { gate });
};

const FIRST_BYTE = { WITAN_PROVIDER_FIRST_BYTE_TIMEOUT_MS: '150' };
const IDLE = { WITAN_PROVIDER_IDLE_TIMEOUT_MS: '150' };
const TOTAL = { WITAN_COMPLETION_TIMEOUT_MS: '1500' };

const TIMEOUT_CASES: [string, Record<string, string>, object, Script][] = [
  ['plain, before its headers', FIRST_BYTE, PING, neverAnswer()],
  ['streamed, before its headers', FIRST_BYTE, STREAM, neverAnswer()],
  ['streamed, after its headers', IDLE, STREAM, neverAnswer({ sendHeaders: true })],
  ['plain, beyond the total time', TOTAL, PING, neverAnswer()],
  ['streamed, beyond the total time', TOTAL, STREAM, neverAnswer({ sendHeaders: true })],
];

describe.each(TRANSPORTS)('a silent provider, services over %s', (transport) => {
  let fixture: Fixture;

  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Expects the provider call to be aborted and certified with finish reason `error`. Returns
   * response and certificate.
   */
  const expectTimeout = async (script: Script, body: object): Promise<[Answer, Certificate]> => {
    fixture.provider.script(script);
    const answer = await fixture.client.complete(body);
    await fixture.provider.whenAborted(fixture.provider.requests.length);
    const { json } = await fixture.client.send(
      `/v1/proofs/${answer.headers.get('x-service-proof')}`,
    );
    const certificate = json as Certificate;
    expect(certificate.payload.response.finishReason).toBe('error');
    return [answer, certificate];
  };

  it.each(TIMEOUT_CASES)('causes a certified 504: %s', async (_name, env, body, script) => {
    fixture = await openFixture({ transport, env });
    const [{ status, json }] = await expectTimeout(script, body);
    expect([status, json]).toEqual([504, upstreamTimeout]);
  });

  it('ends the stream with an error if it stops sending', async () => {
    // Only the idle timeout is short. It applies once the first byte of the response has arrived.
    fixture = await openFixture({ transport, env: IDLE });
    const [answer, { payload }] = await expectTimeout(sendOneChunkThenStall(), STREAM);
    expect(answer.status).toBe(200);
    const [first, last, ...rest] = answer.text.split('\n\n');
    expect(first).toBe(`data: ${JSON.stringify(content)}`);
    expect(JSON.parse(last!.replace(/^data: /, ''))).toEqual(upstreamTimeout);
    expect(rest).toEqual(['']);
    verifyResponse(payload, answer.bytes);
  });
});
