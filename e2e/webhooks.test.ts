import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Client } from 'pg';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const WEBHOOKS = '/v1/webhooks';
const ITEM_PATH = `${WEBHOOKS}/{id}`;
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PUBLIC_URL = 'https://webhooks.invalid/in';

type Webhook = {
  id: string;
  url: string;
  events: string[];
  description: string | null;
  isActive: boolean;
  retrySchedule: string;
  createdAt: string;
  secret?: string;
  secretPreview?: string;
};
type ReceivedPost = { headers: IncomingHttpHeaders; body: Buffer };

describe.each(TRANSPORTS)('webhooks, services over %s', (transport) => {
  let api: DocumentedApi;
  let receiver: Server;
  let receiverUrl: string;
  const receivedPosts: ReceivedPost[] = [];
  let status = 200;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receivedPosts.push({ headers: request.headers, body: Buffer.concat(chunks) });
        response.writeHead(status).end();
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`;
    api = await openDocumentedApi({ transport, env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    receiver.closeAllConnections();
    receiver.close();
  });

  const createClient: DocumentedApi['createClient'] = (scopes) => api.createClient(scopes);
  const call: DocumentedApi['call'] = (...asked) => api.call(...asked);
  const make = async (client: HttpClient, overrides: object = {}): Promise<Webhook> => {
    const body = { url: PUBLIC_URL, events: ['debate.synthesized'], ...overrides };
    const answer = await call(client, `POST ${WEBHOOKS}`, {}, { body });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    return (answer.json as { webhook: Webhook }).webhook;
  };
  const webhookOf = ({ json }: Answer): Webhook => (json as { webhook: Webhook }).webhook;

  it('are created with a secret that is shown once, and listed with its last characters', async () => {
    const client = await createClient();
    const created = await make(client, { description: 'Our CRM' });
    expect(created).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: PUBLIC_URL,
      events: ['debate.synthesized'],
      description: 'Our CRM',
      isActive: true,
      retrySchedule: 'standard',
      disabledReason: null,
      disabledAt: null,
      createdAt: expect.stringMatching(INSTANT),
      secret: expect.stringMatching(SECRET),
    });
    const { secret, ...shown } = created;
    const preview = expect.stringMatching(/^whsec_….{4}$/);
    const second = await make(client);
    const list = await call(client, `GET ${WEBHOOKS}`);
    expect(list.json).toMatchObject({ webhooks: [{ id: second.id }, { id: created.id }] });
    const one = await call(client, `GET ${ITEM_PATH}`, created);
    expect(one.json).toEqual({ webhook: { ...shown, secretPreview: preview } });
    expect(webhookOf(one).secretPreview?.slice(-4)).toBe(secret?.slice(-4));
    expect(list.text + one.text).not.toContain(secret);
    const page = await client.send(`${WEBHOOKS}?limit=1`);
    expect(page.json).toMatchObject({ webhooks: [{ id: second.id }], nextCursor: second.id });
    const next = await client.send(`${WEBHOOKS}?limit=1&cursor=${second.id}`);
    expect((next.json as { webhooks: Webhook[] }).webhooks.map(({ id }) => id)).toEqual([
      created.id,
    ]);
    expect(next.json).not.toHaveProperty('nextCursor');
  });

  it.each([
    ['a private address', { url: 'https://10.0.0.8/in' }, 'blocked_address', 'url'],
    ['plain http', { url: 'http://example.com/in' }, 'blocked_address', 'url'],
    ['a URL without a scheme', { url: 'example.com' }, 'invalid_request', 'url'],
    ['text that is not a URL', { url: 'not a url' }, 'invalid_request', 'url'],
    ['no events', { events: [] }, 'invalid_request', 'events'],
    ['an unknown event', { events: ['agent.hired'] }, 'invalid_request', 'events[0]'],
    ['an unknown schedule', { retrySchedule: 'weekly' }, 'invalid_request', 'retrySchedule'],
    ['a description with NUL', { description: 'a\0b' }, 'invalid_request', 'description'],
  ])('refuse %s on create and update', async (_name, bad, code, param) => {
    const client = await createClient();
    const { id } = await make(client);
    const body = { url: PUBLIC_URL, events: ['webhook.test'], ...bad };
    const created = await call(client, `POST ${WEBHOOKS}`, {}, { body });
    const updated = await call(client, `PATCH ${ITEM_PATH}`, { id }, { body: bad });
    for (const answer of [created, updated]) {
      const { error } = answer.json as { error: { code: string; param: string } };
      expect([answer.status, error.code, error.param]).toEqual([400, code, param]);
      expect(answer.text).not.toContain('10.0.0.8');
    }
  });

  it.each(['PATCH', 'PUT'])(
    'change the members that %s contains, and accept the body that GET returned',
    async (method) => {
      const client = await createClient();
      const { id } = await make(client, { description: 'old' });
      const change = (body: object): Promise<Answer> =>
        call(client, `${method} ${ITEM_PATH}`, { id }, { body });
      const disabledAnswer = await change({ isActive: false });
      expect(webhookOf(disabledAnswer)).toMatchObject({ isActive: false, description: 'old' });
      const disabledWebhook = webhookOf(disabledAnswer);
      const answer = await change({ ...disabledWebhook, isActive: true, events: ['webhook.test'] });
      expect(answer.headers.has('x-service-ignored-fields')).toBe(false);
      expect(webhookOf(answer)).toEqual({
        ...disabledWebhook,
        isActive: true,
        events: ['webhook.test'],
      });
      expect(webhookOf(await change({ description: null })).description).toBeNull();
      expect(webhookOf(await change({ retrySchedule: 'long' })).retrySchedule).toBe('long');
    },
  );

  it('are tested immediately with a signed and logged delivery', async () => {
    const client = await createClient();
    const { id, secret } = await make(client, { url: receiverUrl });
    status = 204;
    const tested = await call(client, `POST ${ITEM_PATH}/test`, { id });
    expect(tested.json).toEqual({ success: true, statusCode: 204 });
    const { headers, body } = receivedPosts.at(-1)!;
    const signature = createHmac('sha256', secret!).update(body).digest('hex');
    expect(headers).toMatchObject({
      'x-service-event': 'webhook.test',
      'x-service-signature': `sha256=${signature}`,
      'user-agent': 'Service-Webhooks/1.0',
    });
    const catalogue = await call(client, 'GET /v1/webhook-events');
    const { events } = catalogue.json as { events: { name: string; schema: object }[] };
    const ajv = new Ajv2020();
    for (const { schema, ...event } of events) {
      expect(ajv.validate(schema, (event as unknown as { example: object }).example)).toBe(true);
    }
    const { schema } = events.find(({ name }) => name === 'webhook.test')!;
    expect(ajv.validate(schema, JSON.parse(body.toString()))).toBe(true);
    status = 500;
    expect((await call(client, `POST ${ITEM_PATH}/test`, { id })).json).toEqual({
      success: false,
      statusCode: 500,
    });
    const log = await call(client, `GET ${ITEM_PATH}/deliveries`, { id });
    expect(log.json).toMatchObject({
      deliveries: [
        { event: 'webhook.test', statusCode: 500, state: 'failed', deliveredAt: null },
        { event: 'webhook.test', statusCode: 204, state: 'delivered', retryCount: 0, error: null },
      ],
    });
    status = 200;
    const { deliveries } = log.json as { deliveries: { id: string }[] };
    const redelivered = await call(client, `POST ${ITEM_PATH}/deliveries/{deliveryId}/redeliver`, {
      id,
      deliveryId: deliveries[0]!.id,
    });
    expect(redelivered.status).toBe(202);
    expect(redelivered.json).toMatchObject({ delivery: { event: 'webhook.test', success: false } });
  });

  it('rotate their secrets, and audit creation, rotation and deletion', async () => {
    const key = await api.keys.makeKey();
    const client = createHttpClient(key);
    const created = await make(client);
    const rotated = await call(client, `POST ${ITEM_PATH}/rotate-secret`, created);
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    const { secret } = webhookOf(rotated);
    expect(secret).toMatch(SECRET);
    expect(secret).not.toBe(created.secret);
    expect((await call(client, `DELETE ${ITEM_PATH}`, created)).status).toBe(204);
    const admin = new Client({ connectionString: api.fixture.system.databaseUrl });
    await admin.connect();
    const { rows } = await admin.query(
      `SELECT action, actor FROM api_gateway.audit WHERE subject = $1 ORDER BY at`,
      [created.id],
    );
    await admin.end();
    const actor = key.keyId;
    expect(rows).toEqual([
      { action: 'webhook.created', actor },
      { action: 'webhook.rotated', actor },
      { action: 'webhook.deleted', actor },
    ]);
  });

  it('are invisible to other workspaces, and gone after deletion', async () => {
    const owner = await createClient();
    const stranger = await createClient();
    const created = await make(owner);
    const ids = { id: created.id, deliveryId: 'dlv_0' };
    const operations = [
      `GET ${ITEM_PATH}`,
      `PATCH ${ITEM_PATH}`,
      `PUT ${ITEM_PATH}`,
      `DELETE ${ITEM_PATH}`,
      `POST ${ITEM_PATH}/test`,
      `POST ${ITEM_PATH}/rotate-secret`,
      `GET ${ITEM_PATH}/deliveries`,
      `POST ${ITEM_PATH}/deliveries/{deliveryId}/redeliver`,
    ];
    const expectNotFound = async (client: HttpClient, pathIds: typeof ids): Promise<void> => {
      for (const operation of operations) {
        const body = /^P[AU]T/.test(operation) ? { body: { isActive: false } } : {};
        const answer = await call(client, operation, pathIds, body);
        expectNativeRefusal(answer, { status: 404, code: 'not_found' });
      }
    };
    await expectNotFound(stranger, ids);
    await expectNotFound(owner, { ...ids, id: 'whk_%00' });
    expect(webhookOf(await call(owner, `GET ${ITEM_PATH}`, created)).isActive).toBe(true);
    await call(owner, `DELETE ${ITEM_PATH}`, created);
    await expectNotFound(owner, ids);
  });

  it('require the scope webhooks, and webhooks:read for reads', async () => {
    const reader = await createClient(['webhooks:read']);
    const writer = await createClient(['webhooks']);
    const other = await createClient(['gateway']);
    expect((await call(reader, `GET ${WEBHOOKS}`)).status).toBe(200);
    expect((await call(writer, `GET ${WEBHOOKS}`)).status).toBe(200);
    expect((await call(other, `GET ${WEBHOOKS}`)).status).toBe(403);
    const body = { url: PUBLIC_URL, events: ['webhook.test'] };
    expect((await call(reader, `POST ${WEBHOOKS}`, {}, { body })).status).toBe(403);
    await make(writer);
  });

  it('are limited to 50, also under concurrent creation', async () => {
    const client = await createClient();
    const body = { url: receiverUrl, events: ['webhook.test'] };
    const answers = await Promise.all(
      Array.from({ length: 55 }, () => call(client, `POST ${WEBHOOKS}`, {}, { body })),
    );
    const refusals = answers.filter((answer) => answer.status !== 201);
    expect(refusals).toHaveLength(5);
    for (const answer of refusals) {
      expectNativeRefusal(answer, { status: 409, code: 'webhook_limit_reached' });
    }
  });

  it('are documented with their payloads', async () => {
    const { json } = await api.fixture.client.send('/v1/openapi.json');
    const { webhooks } = json as { webhooks: Record<string, object> };
    expect(Object.keys(webhooks)).toEqual([
      'debate.synthesized',
      'simulation.tick.completed',
      'simulation.report.ready',
      'mcp.server.changed',
      'mcp.tool.called',
      'webhook.test',
    ]);
  });
});
