import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectChatRefusal, expectNativeRefusal } from './expect-refusal.ts';
import { CHAT, PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const NOT_FOUND = { status: 404, code: 'not_found' };
const UNKNOWN_PROOF = 'pf_0000000000000000000000';

/** Paths, an invalid query for each, and the fields that the error must name. */
const INVALID_QUERIES: [string, string, string[]][] = [
  ['/v1/proofs', 'limit=0', ['limit']],
  ['/v1/proofs', 'limit=501', ['limit']],
  ['/v1/proofs', 'limit=ten', ['limit']],
  ['/v1/proofs', 'limit=1&limit=2', ['limit']],
  ['/v1/proofs', 'fromIndex=-1', ['fromIndex']],
  ['/v1/proofs', 'fromIndex=1.5', ['fromIndex']],
  ['/v1/proofs', 'fromIndex=99999999999', ['fromIndex']],
  ['/v1/proofs', 'limit=0&fromIndex=-1&cursor=x', ['cursor', 'fromIndex', 'limit']],
  ['/v1/proofs/export', 'format=xml', ['format']],
];

describe.each(TRANSPORTS)('paths and methods, services over %s', (transport) => {
  let fixture: Fixture;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it.each(['/', '/v1', '/v1/nothing', '/v2/models', '/v1/proofs/a/b/c', '/V1/../etc/passwd'])(
    'return 404 in the native shape: %s',
    async (path) => {
      expectNativeRefusal(await fixture.client.send(path), NOT_FOUND);
    },
  );

  it('return a client error, never a 500, for invalid input to every operation', async () => {
    const { json } = await fixture.client.send('/v1/openapi.json');
    const { paths } = json as { paths: Record<string, Record<string, { requestBody?: object }>> };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody }]) => ({ path, method, requestBody })),
    );
    expect(operations.length).toBeGreaterThan(50);
    for (const { path, method, requestBody } of operations) {
      // The first call of an operation compiles its validators; an invalid schema would cause
      // status 500.
      const url = path.replaceAll(/\{\w+\}/g, 'nobody');
      const body = requestBody ? { body: { nonsense: [1] } } : {};
      const init = { method: method.toUpperCase(), ...body };
      const { status, body: stream } = await fixture.client.open(url, init);
      // A stream of events does not end.
      await stream?.cancel();
      expect([method, path, status < 500]).toEqual([method, path, true]);
    }
  });

  it('return 404 in the shape of the dialect below its path', async () => {
    const answer = await fixture.client.send('/v1/chat/nothing', { body: PING });
    expect(answer.status).toBe(404);
    expectChatRefusal(answer, { status: 404, code: expect.anything() as never });
  });

  it('do not reveal to an unknown key which paths exist', async () => {
    const answer = await fixture.client.send('/v1/nothing', { headers: {} });
    expectNativeRefusal(answer, NOT_FOUND);
  });

  it.each<
    [
      string,
      string,
      string,
      (answer: Answer, refusal: { status: number; code: string | null }) => void,
      string | null,
    ]
  >([
    ['GET', CHAT, 'POST', expectChatRefusal, null],
    ['DELETE', '/v1/models', 'GET', expectChatRefusal, null],
    ['POST', '/v1/proofs', 'GET', expectNativeRefusal, 'method_not_allowed'],
    ['PUT', `/v1/proofs/${UNKNOWN_PROOF}`, 'GET', expectNativeRefusal, 'method_not_allowed'],
    ['POST', '/v1/gateway/public-key', 'GET', expectNativeRefusal, 'method_not_allowed'],
  ])(
    'return 405 with the allowed methods: %s %s',
    async (method, path, allowed, expectRefusal, code) => {
      const answer = await fixture.client.send(path, { method });
      expectRefusal(answer, { status: 405, code });
      expect(answer.headers.get('allow')?.split(', ')).toContain(allowed);
    },
  );

  it.each(['', '/verify'])(
    'return 404 for an unknown proof: GET /v1/proofs/{id}%s',
    async (path) => {
      const answer = await fixture.client.send(`/v1/proofs/${UNKNOWN_PROOF}${path}`);
      expectNativeRefusal(answer, NOT_FOUND);
      expectDocumented(answer, `GET /v1/proofs/{id}${path}`);
    },
  );

  it.each(["pf_' OR 1=1 --", 'pf_\u0000', '🦊', 'x'.repeat(65)])(
    'return 404 for an id that cannot be a proof id: %j',
    async (id) => {
      const answer = await fixture.client.send(`/v1/proofs/${encodeURIComponent(id)}`);
      expectNativeRefusal(answer, NOT_FOUND);
      expectDocumented(answer, 'GET /v1/proofs/{id}');
    },
  );

  it('return 400 for a path that is not valid UTF-8', async () => {
    const answer = await fixture.client.send('/v1/proofs/%E0%A4%A');
    expectNativeRefusal(answer, { status: 400, code: 'invalid_request' });
    expectDocumented(answer, 'GET /v1/proofs/{id}');
  });

  it.each(INVALID_QUERIES)(
    'return 400 with every invalid field: %s?%s',
    async (path, query, invalidFields) => {
      const answer = await fixture.client.send(`${path}?${query}`);
      expect(answer.status).toBe(400);
      const { error } = answer.json as { error: { details: { path: string }[] } };
      const { details } = error;
      expect(details.map((invalidField) => invalidField.path).toSorted()).toEqual(invalidFields);
      const refusal = { status: 400, code: 'invalid_request', param: details[0]!.path };
      const expectedFields = invalidFields.map(() => ({
        path: expect.any(String),
        message: expect.any(String),
      }));
      expectNativeRefusal(answer, refusal, expectedFields);
      expectDocumented(answer, `GET ${path}`);
    },
  );

  it('return only documented responses when a call succeeds', async () => {
    const completed = await fixture.client.complete(PING);
    const id = completed.headers.get('x-service-proof');
    expectDocumented(completed, 'POST /v1/chat/completions');
    const streamed = await fixture.client.complete({ ...PING, stream: true });
    expectDocumented(streamed, 'POST /v1/chat/completions');
    for (const [operation, path] of [
      ['GET /v1/models', '/v1/models'],
      ['GET /v1/proofs', '/v1/proofs?limit=2'],
      ['GET /v1/proofs/export', '/v1/proofs/export'],
      ['GET /v1/proofs/export', '/v1/proofs/export?format=json'],
      ['GET /v1/proofs/{id}', `/v1/proofs/${id}`],
      ['GET /v1/proofs/{id}/verify', `/v1/proofs/${id}/verify`],
      ['GET /v1/gateway/public-key', '/v1/gateway/public-key'],
      ['GET /v1/openapi.json', '/v1/openapi.json'],
    ] as const) {
      const answer = await fixture.client.send(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expectDocumented(answer, operation);
    }
  });

  it('support HEAD wherever GET is supported', async () => {
    const { status, bytes } = await fixture.client.send('/v1/models', { method: 'HEAD' });
    expect([status, bytes.length]).toEqual([200, 0]);
  });
});
