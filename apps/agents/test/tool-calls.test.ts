import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolService } from '@witan/contracts/services';
import { newId } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { Receiver, Responder, TestDatabase } from '@witan/testing';
import { TOOL_TIMEOUT_MS } from '../src/tool/clients/post-tool.ts';
import { optionsFor, openAgents, SECRETS_KEY } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

const BUDGET_MS = 1_000;
const KIB = 1_024;

const respondWith =
  (body: unknown, status = 200): Responder =>
  (_turn, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    return 'wait';
  };

describe('calls of tools', () => {
  let database: TestDatabase;
  let receiver: Receiver;
  let agents: TestAgents;
  let tools: Client<typeof ToolService>;
  /** IP addresses by host name; replaces DNS in these tests. */
  const names = new Map<string, string[]>();
  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    receiver = await openReceiver();
    agents = await openAgents(database.urls.agents!, {
      toolTimeoutMs: BUDGET_MS,
      lookup: async ({ hostname }) => names.get(hostname) ?? [],
    });
    tools = agents.clientOf(ToolService);
  });
  afterAll(async () => {
    await agents[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  type CreatedTool = { workspaceId: string; id: string; secret: string; path: string };
  const SCHEMA = {
    type: 'object',
    required: ['city'],
    additionalProperties: false,
    properties: { city: { type: 'string' }, day: { type: 'integer', maximum: 7 }, ref: {} },
  };
  const create = async (
    answer?: Responder,
    more: { url?: string; parameters?: string } = {},
  ): Promise<CreatedTool> => {
    const workspaceId = newId('ws');
    const path = `/${newId('tool')}`;
    if (answer) receiver.respond(path, answer);
    const draft = {
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: JSON.stringify(SCHEMA),
      url: receiver.urlOf(path),
      ...more,
    };
    const { tool, secret } = await tools.createTool(draft, optionsFor(workspaceId));
    return { workspaceId, id: tool!.id, secret, path };
  };
  const call = async (
    { workspaceId, id }: CreatedTool,
    text = '{"city":"Köln"}',
    options: { signal?: AbortSignal } = {},
  ) =>
    (await tools.testTool({ id, arguments: text }, { ...optionsFor(workspaceId), ...options }))
      .run!;
  const ok = { status: 'ok', httpStatus: 200, error: '' };

  it('post the exact headers and body, signed over the raw bytes', async () => {
    const tool = await create(respondWith({ sky: 'clear' }));
    const run = await call(tool, '{ "city": "Köln \\ud83d\\ude00", "ref": 12345678901234567890 }');
    expect(run).toMatchObject({
      ...ok,
      id: '',
      toolId: tool.id,
      name: 'get_weather',
      round: 0,
      result: '{"sky":"clear"}',
    });
    expect(run.durationMs).toBeGreaterThan(0);
    const [request, ...more] = receiver.requestsOf(tool.path);
    expect(more).toEqual([]);
    expect(request!.method).toBe('POST');
    const expected =
      '{"tool":"get_weather","arguments":{"city":"Köln 😀","ref":12345678901234567890}}';
    expect(request!.body.toString()).toBe(expected);
    const signature = createHmac('sha256', tool.secret).update(request!.body).digest('hex');
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-tool': 'get_weather',
      'x-service-signature': `sha256=${signature}`,
      'user-agent': 'Service-Tools/1.0',
      'accept-encoding': 'identity',
    });
    expect(request!.headerNames).toEqual(
      expect.arrayContaining(['X-Service-Tool', 'X-Service-Signature', 'User-Agent']),
    );
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['an empty object', '{}'],
  ])('send {} for %s as arguments', async (_name, text) => {
    const tool = await create(respondWith([]), { parameters: '{"type":"object"}' });
    expect(await call(tool, text)).toMatchObject({ ...ok, result: '[]' });
    const [request] = receiver.requestsOf(tool.path);
    expect(JSON.parse(request!.body.toString()).arguments).toEqual({});
  });

  it.each([
    ['invalid JSON', '{"city":', /one JSON object/],
    ['a list', '["Köln"]', /one JSON object/],
    ['a long number', '12345678901234567890', /one JSON object/],
    ['null', 'null', /one JSON object/],
    ['two objects', '{} {}', /one JSON object/],
    ['a missing member', '{}', /city is required/],
    ['a wrong type', '{"city":1,"day":8}', /city must be string; day must be <= 7/],
    ['an unknown member', '{"city":"a","zip":1}', /zip is not known/],
    ['deep nesting', `{"ref":${'['.repeat(70)}${']'.repeat(70)}}`, /deeper than 64/],
    ['a long text', `{"city":"${'x'.repeat(70_000)}"}`, /longer than 65536/],
  ])('send nothing for %s as arguments, and describe the error', async (_name, text, words) => {
    const tool = await create(respondWith({}));
    const run = await call(tool, text);
    expect(run).toMatchObject({ status: 'error', durationMs: 0, result: '' });
    expect(run.httpStatus).toBeUndefined();
    expect(run.error).toMatch(words);
    expect(run.error.length).toBeLessThan(2_500);
    expect(receiver.requestsOf(tool.path)).toEqual([]);
  });

  it.each<[string, Responder, string]>([
    ['null', respondWith('null'), 'null'],
    ['a text', respondWith('"fine"'), '"fine"'],
    ['long numbers', respondWith('{"id":12345678901234567890}'), '{"id":12345678901234567890}'],
    ['JSON of another type', respondWith('[1]', 201), '[1]'],
    [
      'the longest response',
      respondWith(`"${'x'.repeat(256 * KIB - 2)}"`),
      expect.any(String) as never,
    ],
  ])('accept %s as a result', async (_name, answer, result) => {
    expect(await call(await create(answer))).toMatchObject({ status: 'ok', error: '', result });
  });

  const respondSlowly: Responder = (_turn, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
    return 'wait';
  };
  const failed = { status: 'error', result: '' };
  it.each<[string, Responder, object, RegExp]>([
    ['never responds', () => 'wait', { status: 'timeout', result: '' }, /in time/],
    ['responds too slowly', respondSlowly, { status: 'timeout', result: '' }, /in time/],
    [
      'fails',
      respondWith({ secret: 'x' }, 500),
      { ...failed, httpStatus: 500 },
      /HTTP status 500\.$/,
    ],
    [
      'refuses the request',
      respondWith('no such city', 404),
      { ...failed, httpStatus: 404 },
      /HTTP status 404\.$/,
    ],
    ['redirects', respondWith('', 307), { ...failed, httpStatus: 307 }, /307, a redirect/],
    ['has an empty body', respondWith(''), { ...failed, httpStatus: 200 }, /not with JSON/],
    ['has no content', () => 204, { ...failed, httpStatus: 204 }, /not with JSON/],
    [
      'responds with HTML',
      respondWith('<p>hi</p>'),
      { ...failed, httpStatus: 200 },
      /not with JSON/,
    ],
    [
      'responds with truncated JSON',
      respondWith('{"a":'),
      { ...failed, httpStatus: 200 },
      /not with JSON/,
    ],
    [
      'responds with deeply nested JSON',
      respondWith('['.repeat(1_000) + ']'.repeat(1_000)),
      failed,
      /not with JSON/,
    ],
    [
      'responds with too many bytes',
      respondWith(`"${'x'.repeat(256 * KIB - 1)}"`),
      failed,
      /more than can be taken/,
    ],
    [
      'responds with 10 MB',
      respondWith(`"${'x'.repeat(10_000_000)}"`),
      failed,
      /more than can be taken/,
    ],
    [
      'closes the connection',
      (_turn, response) => {
        response.destroy();
        return 'wait';
      },
      failed,
      /broke off/,
    ],
  ])(
    'of a tool that %s return an error text for the model',
    async (_name, answer, expected, words) => {
      const tool = await create(answer);
      const run = await call(tool);
      expect(run).toMatchObject(expected);
      expect(run.error).toMatch(words);
      expect(run.error).not.toMatch(/127\.0\.0\.1|secret|no such city|ECONN|undici/);
      expect(run.error.length).toBeLessThan(200);
      expect(receiver.requestsOf(tool.path)).toHaveLength(1);
    },
  );

  it('of a host that is unknown or moved to a private address do not reveal its address', async () => {
    const closed = await openReceiver();
    await closed[Symbol.asyncDispose]();
    const gone = await call(await create(undefined, { url: closed.urlOf('/') }));
    expect(gone).toMatchObject({ ...failed, error: expect.stringMatching(/not be reached/) });
    const unknown = await call(await create(undefined, { url: 'https://tomorrow.example/' }));
    expect(unknown).toMatchObject({ ...failed, error: 'The host of the tool was not found.' });
    names.set('moves.example', ['93.184.215.14']);
    const moved = await create(undefined, { url: 'https://moves.example/' });
    names.set('moves.example', ['10.1.2.3']);
    const blocked = { ...failed, error: 'The URL of the tool may not be called.' };
    expect(await call(moved)).toMatchObject(blocked);
  });

  it('end when the caller disconnects', async () => {
    let hasEnded = false;
    const tool = await create((_turn, response) => {
      response.on('close', () => (hasEnded = true));
      return 'wait';
    });
    const leaving = new AbortController();
    await using service = await openAgents(database.urls.agents!);
    const calling = service
      .clientOf(ToolService)
      .testTool(
        { id: tool.id, arguments: '{"city":"a"}' },
        { ...optionsFor(tool.workspaceId), signal: leaving.signal },
      );
    const outcome = calling.catch((error: { reason: string }) => error.reason);
    await eventually(async () => receiver.requestsOf(tool.path)[0]);
    leaving.abort();
    expect(await outcome).toBe('CANCELLED');
    await eventually(async () => (hasEnded ? true : undefined));
  });

  it('are not blocked by schemas of other workspaces with endless patterns', async () => {
    const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const slowTool = await create(respondWith({}), { parameters: JSON.stringify(pattern) });
    const tool = await create(respondWith({ sky: 'clear' }));
    const slowCall = call(slowTool, JSON.stringify({ a: `${'a'.repeat(60)}!` }));
    expect(await call(tool)).toMatchObject(ok);
    expect((await slowCall).error).toMatch(/took too long/);
    expect(receiver.requestsOf(slowTool.path)).toEqual([]);
  });

  it('are signed with a new secret as soon as it is set', async () => {
    const tool = await create(respondWith({}));
    const rotated = await tools.rotateToolSecret({ id: tool.id }, optionsFor(tool.workspaceId));
    expect(rotated.secret).not.toBe(tool.secret);
    await call(tool);
    const [request] = receiver.requestsOf(tool.path);
    const sign = (key: string): string =>
      `sha256=${createHmac('sha256', key).update(request!.body).digest('hex')}`;
    const signature = request!.headers['x-service-signature'];
    expect(signature).toBe(sign(rotated.secret));
    expect(signature).not.toBe(sign(tool.secret));
  });

  it('can be tested while the tool is inactive, and time out after 15 s by default', async () => {
    const tool = await create(respondWith({}));
    await tools.updateTool({ id: tool.id, isActive: false }, optionsFor(tool.workspaceId));
    expect(await call(tool)).toMatchObject(ok);
    expect(TOOL_TIMEOUT_MS).toBe(15_000);
  });

  it('require the key that encrypted the secrets', async () => {
    const tool = await create(respondWith({}));
    const secretsKey = Buffer.alloc(32, 1).toString('base64');
    await using other = await openAgents(database.urls.agents!, { config: { secretsKey } });
    const request = { id: tool.id, arguments: '{"city":"a"}' };
    const calling = other.clientOf(ToolService).testTool(request, optionsFor(tool.workspaceId));
    await expect(calling).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(receiver.requestsOf(tool.path)).toEqual([]);
  });

  it('are signed with the same secret after a rotation of the secrets key', async () => {
    const tool = await create(respondWith({}));
    const newerKey = Buffer.alloc(32, 2).toString('base64');
    const config = { secretsKey: `${newerKey},${SECRETS_KEY}` };
    await using both = await openAgents(database.urls.agents!, { config });
    const request = { id: tool.id, arguments: '{"city":"a"}' };
    const callThrough = async (service: TestAgents) =>
      (await service.clientOf(ToolService).testTool(request, optionsFor(tool.workspaceId))).run;
    expect(await callThrough(both)).toMatchObject(ok);
    await using serviceWithNewKey = await openAgents(database.urls.agents!, {
      config: { secretsKey: newerKey },
    });
    const answer = await eventually(() => callThrough(serviceWithNewKey).catch(() => undefined));
    expect(answer).toMatchObject(ok);
    const [first, last] = receiver.requestsOf(tool.path).map(({ headers, body }) => ({
      signature: headers['x-service-signature'],
      signed: `sha256=${createHmac('sha256', tool.secret).update(body).digest('hex')}`,
    }));
    expect([first!.signature, last!.signature]).toEqual([first!.signed, last!.signed]);
  });
});
