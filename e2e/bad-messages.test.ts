import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectMessageRefusal } from './expect-refusal.ts';
import { MESSAGE_PING, MESSAGES } from './http-client.ts';
import type { Answer, RequestOptions } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const BODY_BYTES_MAX = 32 * 1024 * 1024;
const message = { role: 'user', content: 'ping' };
const PING_JSON = JSON.stringify(MESSAGE_PING);

const bodyOfDepth = (levels: number): string => {
  const innerLevels = levels - 1;
  const nestedArrays = '['.repeat(innerLevels) + ']'.repeat(innerLevels);
  return JSON.stringify({ ...MESSAGE_PING, x: 0 }).replace('"x":0', `"x":${nestedArrays}`);
};

/** Invalid bodies, and a text that the error message must contain. */
const INVALID_BODIES: [string, NonNullable<RequestOptions['body']>, string][] = [
  ['truncated JSON', PING_JSON.slice(0, -1), 'JSON'],
  ['a list', '[]', 'object'],
  ['invalid UTF-8', Buffer.from(PING_JSON.replace('ping', '\u00ff'), 'latin1'), 'UTF-8'],
  ['a duplicate limit', PING_JSON.replace('{', '{"max_tokens":1,'), 'max_tokens'],
  ['duplicate thinking', `{"thinking":1,"thinking":2,${PING_JSON.slice(1)}`, 'thinking'],
  ['no body', '', 'model'],
  ['a model that is not a string', { ...MESSAGE_PING, model: 7 }, 'model'],
  ['a model with personal data', { ...MESSAGE_PING, model: 'ann.lee@example.com' }, 'model'],
  ['no messages', { model: 'claude-test', max_tokens: 9 }, 'messages'],
  ['empty messages', { ...MESSAGE_PING, messages: [] }, 'messages'],
  ['a message that is not an object', { ...MESSAGE_PING, messages: [message, 'x'] }, 'messages[1]'],
  [
    'a role of the other dialect',
    { ...MESSAGE_PING, messages: [{ ...message, role: 'tool' }] },
    'messages[0].role',
  ],
  [
    'a message without content',
    { ...MESSAGE_PING, messages: [{ role: 'user' }] },
    'messages[0].content',
  ],
  ['a limit of 0', { ...MESSAGE_PING, max_tokens: 0 }, 'max_tokens'],
  ['a fractional limit', { ...MESSAGE_PING, max_tokens: 1.5 }, 'max_tokens'],
  ['a stream flag that is not a boolean', { ...MESSAGE_PING, stream: 'yes' }, 'stream'],
  ['tools that are not a list', { ...MESSAGE_PING, tools: {} }, 'tools'],
  ['instructions of a wrong type', { ...MESSAGE_PING, system: 7 }, 'system'],
  ['65 levels', bodyOfDepth(65), 'levels'],
];

describe.each(TRANSPORTS)('an invalid message request, services over %s', (transport) => {
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
   * Sends the request and expects neither a provider call nor a certificate. Returns the response.
   */
  const expectRefused = async (
    init: RequestOptions,
    { path = MESSAGES, operation = `POST ${MESSAGES}` } = {},
  ): Promise<Answer> => {
    const callsBefore = fixture.calls().length;
    const answer = await fixture.client.send(path, { method: 'POST', ...init });
    expect(fixture.calls()).toHaveLength(callsBefore);
    expect(await fixture.client.listCertificates()).toEqual([]);
    if (operation !== '') expectDocumented(answer, operation);
    return answer;
  };
  const withCredentials = (extraHeaders: Record<string, string>): Record<string, string> => ({
    'x-api-key': fixture.system.apiKey,
    'content-type': 'application/json',
    ...extraHeaders,
  });

  it.each(INVALID_BODIES)('is refused with 400: %s', async (_name, body, expectedText) => {
    const answer = await expectRefused({ body });
    expectMessageRefusal(answer, { status: 400 });
    expect((answer.json as { error: { message: string } }).error.message).toContain(expectedText);
  });

  it('is refused with 413 if it exceeds 32 MiB, also after decompression', async () => {
    const body = `${PING_JSON.slice(0, -1)},"x":"${'x'.repeat(BODY_BYTES_MAX)}"}`;
    const tooLarge = { status: 413, type: 'request_too_large' };
    expectMessageRefusal(await expectRefused({ body }), tooLarge);
    const compressed = {
      body: gzipSync(body),
      headers: withCredentials({ 'content-encoding': 'gzip' }),
    };
    expectMessageRefusal(await expectRefused(compressed), tooLarge);
  });

  it('is refused with 415 if it is a form', async () => {
    const headers = withCredentials({ 'content-type': 'application/x-www-form-urlencoded' });
    expectMessageRefusal(await expectRefused({ body: PING_JSON, headers }), { status: 415 });
  });

  it.each([
    ['no key', {}],
    ["another provider's key", { 'x-api-key': 'sk-ant-stray-key' }],
    ['a malformed bearer token', { authorization: 'Bearer sk_live_wrong' }],
  ])('is refused with 401 for %s', async (_name, credentials) => {
    const headers = { 'content-type': 'application/json', ...credentials };
    const answer = await expectRefused({ body: MESSAGE_PING, headers });
    expectMessageRefusal(answer, { status: 401, type: 'authentication_error' });
  });

  it('is refused in the shape of the dialect for unknown paths and wrong methods', async () => {
    const unknownPath = { path: `${MESSAGES}/nothing`, operation: '' };
    const notFound = { status: 404, type: 'not_found_error' };
    expectMessageRefusal(await expectRefused({ body: MESSAGE_PING }, unknownPath), notFound);
    const answer = await expectRefused({ method: 'DELETE' }, { operation: '' });
    expectMessageRefusal(answer, { status: 405 });
    expect(answer.headers.get('allow')).toBe('POST');
  });
});
