import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOwnerObjects } from './create-owner-objects.ts';
import type { WorkspaceObjects } from './create-owner-objects.ts';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { PING } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openListingServer } from './mcp/open-listing-server.ts';
import type { ListingServer } from './mcp/open-listing-server.ts';
import { METERED, openAccounts } from './open-accounts.ts';
import type { Accounts, Member } from './open-accounts.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

type Operation = { method: string; path: string };
type Document = { paths: Record<string, Record<string, { security?: unknown[] }>> };

/**
 * Every operation with an id in its path: the kind of object that `{id}` names, a valid body
 * (braces stand for ids), and the status that the owner gets. The test fails if an operation is
 * missing.
 */
const OPERATIONS_WITH_ID: Record<
  string,
  { of: keyof WorkspaceObjects; body?: object; owner: number }
> = {
  'GET /v1/proofs/{id}': { of: 'proof', owner: 200 },
  'GET /v1/proofs/{id}/verify': { of: 'proof', owner: 200 },
  'GET /v1/proofs/{id}/bundle': { of: 'proof', owner: 200 },
  'GET /v1/models/{id}': { of: 'model', owner: 200 },
  'GET /v1/responses/{id}': { of: 'response', owner: 200 },
  'GET /v1/responses/{id}/input_items': { of: 'response', owner: 200 },
  'DELETE /v1/responses/{id}': { of: 'secondResponse', owner: 200 },
  'POST /v1/api-keys/{id}/rotate': { of: 'apiKey', body: {}, owner: 200 },
  'DELETE /v1/api-keys/{id}': { of: 'secondKey', owner: 204 },
  'DELETE /v1/console/sessions/{id}': { of: 'consoleSession', owner: 204 },
  'GET /v1/agents/{id}': { of: 'agent', owner: 200 },
  'PATCH /v1/agents/{id}': { of: 'agent', body: { role: 'adviser' }, owner: 200 },
  'DELETE /v1/agents/{id}': { of: 'secondAgent', owner: 204 },
  'POST /v1/agents/{id}/sessions': { of: 'agent', owner: 201 },
  'GET /v1/agents/{id}/sessions': { of: 'agent', owner: 200 },
  'GET /v1/agents/{id}/sessions/{sid}': { of: 'agent', owner: 200 },
  'DELETE /v1/agents/{id}/sessions/{sid}': { of: 'agent', owner: 204 },
  'POST /v1/agents/{id}/chat': { of: 'agent', body: { message: 'hello' }, owner: 200 },
  'POST /v1/agents/{id}/memory': { of: 'agent', body: { key: 'a', value: 'b' }, owner: 201 },
  'GET /v1/agents/{id}/memory': { of: 'agent', owner: 200 },
  'GET /v1/agents/{id}/memory/{memoryId}/revisions': { of: 'agent', owner: 200 },
  'DELETE /v1/agents/{id}/memory/{memoryId}': { of: 'agent', owner: 204 },
  'GET /v1/ai/extracted-data/{id}': { of: 'fact', owner: 200 },
  'DELETE /v1/ai/extracted-data/{id}': { of: 'fact', owner: 204 },
  'GET /v1/tools/{id}': { of: 'tool', owner: 200 },
  'PATCH /v1/tools/{id}': { of: 'tool', body: { isActive: false }, owner: 200 },
  'PUT /v1/tools/{id}': { of: 'tool', body: { isActive: false }, owner: 200 },
  'DELETE /v1/tools/{id}': { of: 'secondTool', owner: 204 },
  'POST /v1/tools/{id}/rotate-secret': { of: 'tool', owner: 200 },
  'POST /v1/tools/{id}/test': { of: 'tool', body: {}, owner: 200 },
  'GET /v1/mcp-servers/{id}': { of: 'mcpServer', owner: 200 },
  'DELETE /v1/mcp-servers/{id}': { of: 'secondMcpServer', owner: 204 },
  'POST /v1/mcp-servers/{id}/refresh': { of: 'mcpServer', owner: 200 },
  'POST /v1/mcp-servers/{id}/accept': {
    of: 'mcpServer',
    body: { snapshotHash: '{snapshotHash}' },
    owner: 200,
  },
  'POST /v1/agents/{id}/tools': { of: 'agent', body: { toolId: '{toolId}' }, owner: 200 },
  'GET /v1/agents/{id}/tools': { of: 'agent', owner: 200 },
  'DELETE /v1/agents/{id}/tools/{toolId}': { of: 'agent', owner: 204 },
  'GET /v1/knowledge/sources/{id}': { of: 'source', owner: 200 },
  'DELETE /v1/knowledge/sources/{id}': { of: 'secondSource', owner: 204 },
  'POST /v1/knowledge/sources/{id}/documents': { of: 'source', body: { content: 'x' }, owner: 201 },
  'GET /v1/knowledge/sources/{id}/documents': { of: 'source', owner: 200 },
  'DELETE /v1/knowledge/documents/{id}': { of: 'document', owner: 204 },
  'GET /v1/agents/{id}/knowledge': { of: 'agent', owner: 200 },
  'POST /v1/agents/{id}/knowledge': { of: 'agent', body: { sourceId: '{sourceId}' }, owner: 200 },
  'DELETE /v1/agents/{id}/knowledge/{sourceId}': { of: 'agent', owner: 204 },
  'GET /v1/conversations/{id}': { of: 'conversation', owner: 200 },
  'DELETE /v1/conversations/{id}': { of: 'secondConversation', owner: 204 },
  'POST /v1/conversations/{id}/message': {
    of: 'conversation',
    body: { content: 'hello' },
    owner: 200,
  },
  'GET /v1/conversations/{id}/debates/{debateId}/events': { of: 'conversation', owner: 200 },
  'GET /v1/sim-engine/simulations/{id}': { of: 'simulation', owner: 200 },
  'DELETE /v1/sim-engine/simulations/{id}': { of: 'secondSimulation', owner: 204 },
  'POST /v1/sim-engine/simulations/{id}/scenarios': {
    of: 'simulation',
    body: { name: 'x', fromScenarioId: '{scenarioId}' },
    owner: 201,
  },
  'PATCH /v1/sim-engine/simulations/{id}/scenarios/{scenarioId}': {
    of: 'simulation',
    body: { isActive: true },
    owner: 200,
  },
  'POST /v1/sim-engine/simulations/{id}/advance': { of: 'simulation', body: {}, owner: 200 },
  'GET /v1/sim-engine/simulations/{id}/states': { of: 'simulation', owner: 200 },
  'POST /v1/sim-engine/simulations/{id}/forecast': { of: 'simulation', body: {}, owner: 200 },
  'POST /v1/sim-engine/simulations/{id}/replay': { of: 'simulation', owner: 200 },
  'POST /v1/sim-engine/simulations/{id}/finalize': { of: 'simulation', body: {}, owner: 200 },
  'GET /v1/sim-engine/simulations/{id}/report': { of: 'simulation', owner: 200 },
  'GET /v1/market-analysis/{id}': { of: 'analysis', owner: 200 },
  'GET /v1/webhooks/{id}': { of: 'webhook', owner: 200 },
  'PATCH /v1/webhooks/{id}': { of: 'webhook', body: { isActive: false }, owner: 200 },
  'PUT /v1/webhooks/{id}': { of: 'webhook', body: { isActive: false }, owner: 200 },
  'DELETE /v1/webhooks/{id}': { of: 'secondWebhook', owner: 204 },
  'POST /v1/webhooks/{id}/rotate-secret': { of: 'webhook', owner: 200 },
  'POST /v1/webhooks/{id}/test': { of: 'webhook', owner: 200 },
  'GET /v1/webhooks/{id}/deliveries': { of: 'webhook', owner: 200 },
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver': { of: 'webhook', owner: 202 },
};

/**
 * Operations that list objects inside the object that their path names, and the kind of that outer
 * object.
 */
const NESTED_LISTS: readonly (Operation & { of: keyof WorkspaceObjects })[] = [
  { method: 'get', path: '/v1/webhooks/{id}/deliveries', of: 'webhook' },
  { method: 'get', path: '/v1/agents/{id}/sessions', of: 'agent' },
  { method: 'get', path: '/v1/agents/{id}/memory', of: 'agent' },
  { method: 'get', path: '/v1/agents/{id}/tools', of: 'agent' },
  { method: 'get', path: '/v1/knowledge/sources/{id}/documents', of: 'source' },
  { method: 'get', path: '/v1/conversations/{id}', of: 'conversation' },
  { method: 'get', path: '/v1/sim-engine/simulations/{id}', of: 'simulation' },
];

/**
 * The caller's own session, a stream without an end (see `event-stream.test.ts`), and the caller's
 * own tree, which has nothing before its first certificate (see `transparency.test.ts`).
 */
const NO_LISTS: ReadonlySet<string> = new Set([
  '/v1/console/session',
  '/v1/events/stream',
  '/v1/proofs/tree/checkpoint',
  '/v1/proofs/tree/tile/{tile}',
]);

const hasId = ({ path }: Operation): boolean => path.includes('{') && !NO_LISTS.has(path);
const nameOf = ({ method, path }: Operation): string => `${method.toUpperCase()} ${path}`;

describe.each(TRANSPORTS)('objects of another workspace, services over %s', (transport) => {
  let fixture: Fixture;
  let mcpServer: ListingServer;
  let accounts: Accounts;
  let owner: Member;
  let other: Member;
  let ownerObjects: WorkspaceObjects;
  let operations: Operation[];
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    mcpServer = await openListingServer();
    const env = {
      ...METERED,
      WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
      WITAN_LOG_INTERVAL_MS: '200',
    };
    fixture = await openFixture({ transport, env });
    accounts = await openAccounts(fixture);
    [owner, other] = [
      await accounts.createMember({ credit: 100_000 }),
      await accounts.createMember(),
    ];
    const { provider } = fixture;
    ownerObjects = await createOwnerObjects(owner.client, { provider, mcpUrl: mcpServer.url });
    expectDocumented = await createExpectDocumented(fixture.client);
    const { json } = await fixture.client.send('/v1/openapi.json', { headers: {} });
    operations = Object.entries((json as Document).paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // Operations without authentication do not depend on a workspace, so they are left out.
        .filter(([, { security }]) => security === undefined)
        .map(([method]) => ({ method, path })),
    );
  });
  afterAll(async () => {
    await accounts[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await mcpServer[Symbol.asyncDispose]();
  });

  const call = (
    { client }: { client: HttpClient },
    operation: Operation,
    id = '',
  ): Promise<Answer> => {
    const { body } = OPERATIONS_WITH_ID[nameOf(operation)] ?? {};
    const path = operation.path
      .replace('{id}', encodeURIComponent(id))
      .replace('{deliveryId}', ownerObjects.delivery)
      .replace('{debateId}', ownerObjects.debate)
      .replace('{scenarioId}', ownerObjects.scenario)
      .replace('{sid}', ownerObjects.session)
      .replace('{memoryId}', ownerObjects.memory)
      .replace('{toolId}', ownerObjects.tool)
      .replace('{sourceId}', ownerObjects.source);
    const text =
      body &&
      JSON.stringify(body)
        .replace('{toolId}', ownerObjects.tool)
        .replace('{snapshotHash}', ownerObjects.snapshotHash)
        .replace('{sourceId}', ownerObjects.source)
        .replace('{scenarioId}', ownerObjects.scenario);
    return client.send(path, { method: operation.method.toUpperCase(), body: text });
  };

  it('are named by the listed paths and no others', () => {
    const operationNames = operations.filter(hasId).map(nameOf);
    expect(operationNames.toSorted()).toEqual(Object.keys(OPERATIONS_WITH_ID).toSorted());
    const names = new Set(operationNames.flatMap((name) => name.match(/\{\w+\}/g) ?? []));
    const all = '{debateId} {deliveryId} {id} {memoryId} {scenarioId} {sid} {sourceId} {toolId}';
    expect([...names].toSorted().join(' ')).toBe(all);
  });

  it('return the same 404 as unknown ids, for every key', async () => {
    const strangers = [other, await accounts.createMember({ scopes: ['*', 'operator'] })];
    for (const operation of operations.filter(hasId)) {
      const id = ownerObjects[OPERATIONS_WITH_ID[nameOf(operation)]!.of];
      for (const stranger of strangers) {
        const answer = await call(stranger, operation, id);
        expect([nameOf(operation), answer.status]).toEqual([nameOf(operation), 404]);
        expectDocumented(answer, nameOf(operation));
        const unknown = await call(stranger, operation, toUnknownId(id));
        expect(describeRefusal(answer, id)).toEqual(describeRefusal(unknown, toUnknownId(id)));
      }
    }
  });

  it('are in no list, export or header', async () => {
    const secrets = [...Object.values(ownerObjects), owner.workspaceId];
    const listTexts: string[] = [];
    for (const operation of operations.filter(({ method }) => method === 'get')) {
      if (hasId(operation) || NO_LISTS.has(operation.path)) continue;
      const answer = await call(other, operation);
      const leaked = `${answer.text}\n${JSON.stringify([...answer.headers])}`;
      const leaks = secrets.filter((secret) => leaked.includes(secret));
      expect([nameOf(operation), answer.status, leaks]).toEqual([nameOf(operation), 200, []]);
      listTexts.push((await call(owner, operation)).text);
    }
    for (const { of, ...list } of NESTED_LISTS) {
      listTexts.push((await call(owner, list, ownerObjects[of])).text);
    }
    // All objects and names appear in the owner's lists, so their absence from the other
    // workspace's lists is meaningful. Stored responses are in no list.
    const allText = listTexts.join('\n');
    const { response, secondResponse } = ownerObjects;
    expect(secrets.filter((secret) => !allText.includes(secret))).toEqual([
      response,
      secondResponse,
    ]);
  });

  it('are not reachable by alias or provider', async () => {
    const before = fixture.calls().length;
    await accounts.credit(10_000, other.workspaceId);
    // In the other workspace the owner's alias is an unknown model name, so the default route is
    // used.
    const answer = await other.client.complete({ ...PING, model: ownerObjects.model });
    expect([answer.status, fixture.calls().length]).toEqual([200, before + 1]);
    expect(fixture.calls().at(-1)!.body.toString()).not.toContain('of-the-owner');
    const own = await owner.client.complete({ ...PING, model: ownerObjects.model });
    expect([own.status, own.headers.get('x-service-model')]).toEqual([200, 'gpt-of-the-owner']);
  });

  it('are charged only to their owner', async () => {
    const { posted } = await owner.balance();
    expect((await other.client.complete(PING)).status).toBe(200);
    expect((await owner.balance()).posted).toBe(posted);
  });

  it('are unchanged after all tests', async () => {
    for (const operation of operations.filter(hasId)) {
      const { of, owner: status } = OPERATIONS_WITH_ID[nameOf(operation)]!;
      const answer = await call(owner, operation, ownerObjects[of]);
      expect([nameOf(operation), answer.status]).toEqual([nameOf(operation), status]);
    }
  });
});

/** Returns an id of the same form that belongs to no object. */
const toUnknownId = (id: string): string => id.replace(/.{4}$/, 'zzzz');

/**
 * Returns status and error of a refusal, without the requested id and the request id, so that two
 * refusals can be compared.
 */
const describeRefusal = ({ status, json }: Answer, id: string): unknown => {
  const text = JSON.stringify((json as { error: object }).error).replaceAll(id, 'ID');
  return { status, error: { ...(JSON.parse(text) as object), requestId: '' } };
};
