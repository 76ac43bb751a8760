import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { expectChatRefusal } from './expect-refusal.ts';
import { PING } from './http-client.ts';
import { openLine, TRANSPORTS } from './open-line.ts';
import type { Line } from './open-line.ts';

const LOCAL_MODEL = 'llama-local';
/** Offered by the local runtime beside its default; no header can hold the name as it is. */
const OTHER_MODEL = '通义-local';

/** Addresses that keep a call on the machine, and what their certificates say of them. */
const ADDRESSES: [string, object][] = [
  ['service-sensitive', { kind: 'service-sensitive' }],
  ['gpt-test+sensitive', { kind: 'model', sensitive: true }],
  ['service-agent+sensitive', { kind: 'service-agent', sensitive: true }],
];

describe.each(TRANSPORTS)('a call that must stay on the machine, services over %s', (transport) => {
  let local: ScriptedProvider;
  let line: Line;
  let withoutRuntime: Line;

  beforeAll(async () => {
    local = await openScriptedProvider({ models: [LOCAL_MODEL, OTHER_MODEL] });
    line = await openLine({ transport, env: { LOCAL_BASE_URL: local.baseUrl, LOCAL_MODEL } });
    withoutRuntime = await openLine({ transport, env: { WITAN_ENV: 'production' } });
  });
  afterAll(async () => {
    await withoutRuntime[Symbol.asyncDispose]();
    await line[Symbol.asyncDispose]();
    await local[Symbol.asyncDispose]();
  });

  it.each(ADDRESSES)(
    'is served by the local runtime, which the certificate proves: %s',
    async (model, address) => {
      for (const stream of [false, true]) {
        const answer = await line.client.complete({ ...PING, model, stream });
        expect([answer.status, answer.headers.get('x-service-model')]).toEqual([200, LOCAL_MODEL]);
        const { json } = await line.client.send(
          `/v1/proofs/${answer.headers.get('x-service-proof')}`,
        );
        expect(json).toMatchObject({
          payload: {
            request: { model },
            address,
            egress: { provider: 'local', model: LOCAL_MODEL, pii: { masked: 0, categories: [] } },
            routing: { reason: 'sensitive_local' },
          },
        });
      }
      expect(local.requests.at(-1)?.parsed).toMatchObject({ model: LOCAL_MODEL });
      expect(local.requests.at(-1)?.headers).not.toHaveProperty('authorization');
      expect(line.calls()).toEqual([]);
    },
  );

  it.each(ADDRESSES)('is refused with 503 where there is no local runtime: %s', async (model) => {
    const answer = await withoutRuntime.client.complete({ ...PING, model });
    expectChatRefusal(answer, {
      status: 503,
      type: 'server_error',
      code: 'local_runtime_unavailable',
    });
    expect(withoutRuntime.calls()).toEqual([]);
    expect(await withoutRuntime.client.listCertificates()).toEqual([]);
  });

  it('runs the model that was asked for when the local runtime offers it', async () => {
    const answer = await line.client.complete({ ...PING, model: `${OTHER_MODEL}+sensitive` });
    expect(answer.status).toBe(200);
    expect(decodeURIComponent(answer.headers.get('x-service-model')!)).toBe(OTHER_MODEL);
  });

  it.each([LOCAL_MODEL, OTHER_MODEL])('goes to the local runtime by the name %s', async (model) => {
    const answer = await line.client.complete({ ...PING, model });
    expect(answer.status).toBe(200);
    const { json } = await line.client.send(`/v1/proofs/${answer.headers.get('x-service-proof')}`);
    expect(json).toMatchObject({
      payload: { address: { kind: 'model' }, egress: { provider: 'local', model } },
    });
    expect(line.calls()).toEqual([]);
  });
});
