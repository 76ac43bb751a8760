import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectChatRefusal } from './expect-refusal.ts';
import { PING } from './http-client.ts';
import type { Answer, RequestOptions } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const MIB = 1024 * 1024;
const BODY_BYTES_MAX = 32 * MIB;
const message = { role: 'user', content: 'ping' };

const bodyOfSize = (bytes: number): string => {
  const emptyBody = JSON.stringify({ ...PING, x: '' });
  return emptyBody.replace('"x":""', `"x":"${'x'.repeat(bytes - emptyBody.length)}"`);
};

const objectOfSize = (members: number): object =>
  Object.fromEntries(Array.from({ length: members }, (_, index) => [`m${index}`, index]));

const bodyOfDepth = (levels: number): string => {
  const innerLevels = levels - 1;
  const nestedArrays = '['.repeat(innerLevels) + ']'.repeat(innerLevels);
  return JSON.stringify({ ...PING, x: 0 }).replace('"x":0', `"x":${nestedArrays}`);
};

/** Invalid bodies, and the field that the error must name (null if none). */
const INVALID_BODIES: [string, NonNullable<RequestOptions['body']>, string | null][] = [
  ['truncated JSON', '{"model":"gpt-test","messages":[', null],
  ['JSON with a trailing comma', '{"model":"gpt-test",}', null],
  ['a duplicate model', `{"model":"gpt-b",${JSON.stringify(PING).slice(1)}`, 'model'],
  [
    'duplicate content in a message',
    JSON.stringify(PING).replace('"content"', '"content":"other","content"'),
    'messages[0].content',
  ],
  [
    'a duplicate role, once escaped',
    JSON.stringify(PING).replace('"content"', '"\\u0072ole":"assistant","content"'),
    'messages[0].role',
  ],
  ['more than 1,000 members', { ...PING, ...objectOfSize(1_001) }, null],
  ['metadata of more than 1,000 members', { ...PING, metadata: objectOfSize(1_001) }, 'metadata'],
  [
    'a schema of more than 5,000 members',
    {
      ...PING,
      tools: [{ type: 'function', function: { name: 'f', parameters: objectOfSize(5_001) } }],
    },
    'tools[0].function.parameters',
  ],
  ['two documents', `${JSON.stringify(PING)}{}`, null],
  ['a list', '[]', null],
  ['a string', '"ping"', null],
  ['null', 'null', null],
  ['invalid UTF-8', Buffer.from(JSON.stringify(PING).replace('ping', '\u00ff'), 'latin1'), null],
  ['no body', '', 'model'],
  ['no model', { messages: [message] }, 'model'],
  ['a model that is not a string', { ...PING, model: 7 }, 'model'],
  ['an empty model', { ...PING, model: '' }, 'model'],
  ['a model name of 257 characters', { ...PING, model: 'm'.repeat(257) }, 'model'],
  ['a model with personal data', { ...PING, model: 'ann.lee@example.com' }, 'model'],
  ['a model with a number', { ...PING, model: 'gpt-4o ssn 536-90-4399+sensitive' }, 'model'],
  [
    'a model name that is not valid Unicode',
    '{"model":"\\ud800","messages":[{"role":"user"}]}',
    'model',
  ],
  ['no messages', { model: 'gpt-test' }, 'messages'],
  ['empty messages', { ...PING, messages: [] }, 'messages'],
  ['messages that are not a list', { ...PING, messages: message }, 'messages'],
  ['a message that is not an object', { ...PING, messages: [message, 'x'] }, 'messages[1]'],
  ['a message without role', { ...PING, messages: [{ content: 'x' }] }, 'messages[0].role'],
  ['an unknown role', { ...PING, messages: [{ role: 'boss' }] }, 'messages[0].role'],
  [
    'content of a wrong type',
    { ...PING, messages: [{ ...message, content: 1 }] },
    'messages[0].content',
  ],
  ['a stream flag that is not a boolean', { ...PING, stream: 'yes' }, 'stream'],
  ['an output limit of 0', { ...PING, max_tokens: 0 }, 'max_tokens'],
  ['a fractional output limit', { ...PING, max_completion_tokens: 1.5 }, 'max_completion_tokens'],
  ['tools that are not a list', { ...PING, tools: {} }, 'tools'],
  ['65 levels', bodyOfDepth(65), null],
  ['200,000 levels', bodyOfDepth(200_000), null],
];

describe.each(TRANSPORTS)('an invalid body, services over %s', (transport) => {
  let fixture: Fixture;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Sends the body and expects neither a provider call nor a new certificate. Returns the response.
   */
  const expectRefused = async (
    body: NonNullable<RequestOptions['body']>,
    headers = {},
  ): Promise<Answer> => {
    const baseHeaders = { 'x-api-key': fixture.system.apiKey, 'content-type': 'application/json' };
    const callsBefore = fixture.calls().length;
    const before = await fixture.client.listCertificates();
    const answer = await fixture.client.complete(body, { headers: { ...baseHeaders, ...headers } });
    expect(fixture.calls()).toHaveLength(callsBefore);
    expect(await fixture.client.listCertificates()).toEqual(before);
    expectDocumented(answer, 'POST /v1/chat/completions');
    return answer;
  };

  it.each(INVALID_BODIES)('is refused with 400: %s', async (_name, body, param) => {
    expectChatRefusal(await expectRefused(body), { status: 400, code: null, param });
  });

  it.each([
    ['{"model":"gpt-test",\n "a"}', '(line 2, column 5)'],
    ['{"model":"gpt-test"', '(line 1, column 20)'],
    ['{"model":', '(it ends too early)'],
  ])('that is no JSON is refused with its place: %j', async (body, place) => {
    expect((await expectRefused(body)).text).toContain(`The body is not valid JSON ${place}.`);
  });

  it('is refused with 413 if it exceeds 32 MiB, also after decompression', async () => {
    const tooLarge = { status: 413, code: 'request_too_large' };
    const body = bodyOfSize(BODY_BYTES_MAX + 1);
    expectChatRefusal(await expectRefused(body), tooLarge);
    const compressed = gzipSync(body);
    expect(compressed.length).toBeLessThan(MIB);
    expectChatRefusal(await expectRefused(compressed, { 'content-encoding': 'gzip' }), tooLarge);
  });

  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['an unknown encoding', { 'content-encoding': 'zstd-of-my-own' }],
  ])('is refused with 415 if it is %s', async (_name, headers) => {
    expectChatRefusal(await expectRefused(PING, headers), { status: 415, code: null });
  });

  it('is refused with a reference to conversations if it requests a debate', async () => {
    const answer = await expectRefused({ ...PING, model: 'debate:future' });
    expectChatRefusal(answer, { status: 501, code: 'not_implemented', param: 'model' });
    expect(answer.text).toContain('POST /v1/conversations');
  });

  it('is refused if it names an unknown agent', async () => {
    const answer = await expectRefused({ ...PING, model: 'agent:nobody+sensitive' });
    expectChatRefusal(answer, { status: 404, code: 'model_not_found', param: 'model' });
  });

  it.each<[string, NonNullable<RequestOptions['body']>, Record<string, string>]>([
    ['64 levels', bodyOfDepth(64), {}],
    ['5 MiB', bodyOfSize(5 * MIB), {}],
    [
      'JSON with another media type',
      PING,
      { 'content-type': 'application/vnd.x+json; charset=utf-8' },
    ],
    ['a compressed body', gzipSync(JSON.stringify(PING)), { 'content-encoding': 'gzip' }],
    ['unknown fields', { ...PING, __proto__x: 1, constructor: { a: 1 } }, {}],
  ])('is not reported for %s', async (_name, body, extraHeaders) => {
    const baseHeaders = { 'x-api-key': fixture.system.apiKey, 'content-type': 'application/json' };
    const answer = await fixture.client.complete(body, {
      headers: { ...baseHeaders, ...extraHeaders },
    });
    expect(answer.status).toBe(200);
    expectDocumented(answer, 'POST /v1/chat/completions');
  });
});
