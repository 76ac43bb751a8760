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
const PING_TEXT = JSON.stringify(MESSAGE_PING);

const nested = (levels: number): string => {
  const inner = levels - 1;
  const deep = '['.repeat(inner) + ']'.repeat(inner);
  return JSON.stringify({ ...MESSAGE_PING, x: 0 }).replace('"x":0', `"x":${deep}`);
};

/** Invalid bodies, and the member that the error message must name. */
const REFUSED: [string, NonNullable<RequestOptions['body']>, string][] = [
  ['cut JSON', PING_TEXT.slice(0, -1), 'JSON'],
  ['a list', '[]', 'object'],
  ['invalid UTF-8', Buffer.from(PING_TEXT.replace('ping', '\u00ff'), 'latin1'), 'UTF-8'],
  ['a limit that stands twice', PING_TEXT.replace('{', '{"max_tokens":1,'), 'max_tokens'],
  ['thinking that stands twice', `{"thinking":1,"thinking":2,${PING_TEXT.slice(1)}`, 'thinking'],
  ['no body', '', 'model'],
  ['a model that is no text', { ...MESSAGE_PING, model: 7 }, 'model'],
  ['a model with personal data', { ...MESSAGE_PING, model: 'ann.lee@example.com' }, 'model'],
  ['no messages', { model: 'claude-test', max_tokens: 9 }, 'messages'],
  ['empty messages', { ...MESSAGE_PING, messages: [] }, 'messages'],
  ['a message that is no object', { ...MESSAGE_PING, messages: [message, 'x'] }, 'messages[1]'],
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
  ['a limit of nothing', { ...MESSAGE_PING, max_tokens: 0 }, 'max_tokens'],
  ['half a token', { ...MESSAGE_PING, max_tokens: 1.5 }, 'max_tokens'],
  ['a stream flag that is no flag', { ...MESSAGE_PING, stream: 'yes' }, 'stream'],
  ['tools that are no list', { ...MESSAGE_PING, tools: {} }, 'tools'],
  ['instructions of a wrong type', { ...MESSAGE_PING, system: 7 }, 'system'],
  ['65 levels', nested(65), 'levels'],
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

  /** Expects the request to be refused before any provider call or database write. */
  const refuse = async (
    init: RequestOptions,
    { path = MESSAGES, operation = `POST ${MESSAGES}` } = {},
  ): Promise<Answer> => {
    const sent = fixture.calls().length;
    const answer = await fixture.client.send(path, { method: 'POST', ...init });
    expect(fixture.calls()).toHaveLength(sent);
    expect(await fixture.client.listCertificates()).toEqual([]);
    if (operation !== '') expectDocumented(answer, operation);
    return answer;
  };
  const withKey = (more: Record<string, string>): Record<string, string> => ({
    'x-api-key': fixture.system.apiKey,
    'content-type': 'application/json',
    ...more,
  });

  it.each(REFUSED)('is refused with 400: %s', async (_case, body, named) => {
    const answer = await refuse({ body });
    expectMessageRefusal(answer, { status: 400 });
    expect((answer.json as { error: { message: string } }).error.message).toContain(named);
  });

  it('is refused with 413 if it exceeds 32 MiB, also after decompression', async () => {
    const body = `${PING_TEXT.slice(0, -1)},"x":"${'x'.repeat(BODY_BYTES_MAX)}"}`;
    const tooLarge = { status: 413, type: 'request_too_large' };
    expectMessageRefusal(await refuse({ body }), tooLarge);
    const packed = { body: gzipSync(body), headers: withKey({ 'content-encoding': 'gzip' }) };
    expectMessageRefusal(await refuse(packed), tooLarge);
  });

  it('is refused with 415 if it is a form', async () => {
    const headers = withKey({ 'content-type': 'application/x-www-form-urlencoded' });
    expectMessageRefusal(await refuse({ body: PING_TEXT, headers }), { status: 415 });
  });

  it.each([
    ['no key', {}],
    ['a key of somebody else', { 'x-api-key': 'sk-ant-stray-key' }],
    ['a malformed bearer', { authorization: 'Bearer sk_live_wrong' }],
  ])('is refused with 401 for %s', async (_name, credentials) => {
    const headers = { 'content-type': 'application/json', ...credentials };
    const answer = await refuse({ body: MESSAGE_PING, headers });
    expectMessageRefusal(answer, { status: 401, type: 'authentication_error' });
  });

  it('is refused in the shape of the dialect for unknown paths and wrong methods', async () => {
    const nowhere = { path: `${MESSAGES}/nothing`, operation: '' };
    const missing = { status: 404, type: 'not_found_error' };
    expectMessageRefusal(await refuse({ body: MESSAGE_PING }, nowhere), missing);
    const answer = await refuse({ method: 'DELETE' }, { operation: '' });
    expectMessageRefusal(answer, { status: 405 });
    expect(answer.headers.get('allow')).toBe('POST');
  });
});
