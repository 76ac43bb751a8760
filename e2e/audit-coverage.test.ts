import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOwnerObjects } from './create-owner-objects.ts';
import type { WorkspaceObjects } from './create-owner-objects.ts';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { openListingServer } from './mcp/open-listing-server.ts';
import type { ListingServer } from './mcp/open-listing-server.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';

type Document = { paths: Record<string, Record<string, { operationId: string }>> };
type Entry = { action: string; actor: string; target: string; detail: string | null };

/** A secret in every body that may have one; no audit entry may contain it. */
const SECRET = 'do-not-write-this';
const URL = `https://of-the-owner.invalid/${SECRET}`;

/** The body of a call, and the action, target and detail of its audit entry. */
type Audited = {
  body?: object;
  action: string;
  of?: keyof WorkspaceObjects;
  detail?: string;
};

/** Reasons for which an operation leaves no audit entry. */
const CALL = 'calls a model; its certificate is the evidence';
const READ = 'changes nothing';
const CONTENT = 'adds or removes content of the users, which is listed; certificates stay';
const MADE = 'makes an object that is listed with its time, and grants nobody anything';

/** Every operation of the API that is not a GET: its audit entry, or why it leaves none. */
const OPERATIONS: Record<string, Audited | string> = {
  createChatCompletion: CALL,
  createMessage: CALL,
  createEmbedding: CALL,
  createResponse: CALL,
  compactResponse: CALL,
  countTokens: READ,
  previewChatCompletion: READ,
  previewMessage: READ,
  previewResponse: READ,
  chatWithAgent: CALL,
  complete: CALL,
  holdDebate: CALL,
  advanceSimulation: CALL,
  finalizeSimulation: CALL,
  analyzeMarket: CALL,
  streamMarketAnalysis: CALL,
  callMcp: 'calls the operations of this table, which write their own entries',
  createCredit: 'is an entry of the ledger itself',
  createSession: MADE,
  createConversation: MADE,
  createSimulation: MADE,
  addScenario: MADE,
  updateScenario: CONTENT,
  addKnowledgeDocument: CONTENT,
  saveMemories: CONTENT,
  deleteMemory: CONTENT,
  deleteSession: CONTENT,
  deleteExtractedData: CONTENT,
  deleteConversation: CONTENT,
  deleteSimulation: CONTENT,
  searchKnowledge: READ,
  forecastSimulation: READ,
  replaySimulation: READ,
  refreshMcpServer: 'changes nothing that agents use, until it is accepted',
  testTool: 'calls the tool as an agent would',
  testWebhook: 'is listed among the deliveries',
  redeliver: 'is listed among the deliveries',
  createConsoleSession: 'is audited when it is opened, see console-sessions.test.ts',
  deleteConsoleSession: 'is audited when it ends, see console-sessions.test.ts',
  createConsoleLink: { action: 'console_link.created' },
  endConsoleSession: { action: 'console_session.ended', of: 'consoleSession' },
  createApiKey: { body: { name: 'audited' }, action: 'key.created' },
  rotateApiKey: { body: {}, action: 'key.rotated', of: 'apiKey' },
  revokeApiKey: { action: 'key.revoked', of: 'secondKey' },
  putProviders: {
    body: { providers: [{ name: 'p', baseUrl: 'https://p.example', apiKey: SECRET }] },
    action: 'provider.changed',
  },
  putWorkspace: {
    body: { privacy: { categories: [] } },
    action: 'workspace.privacy_changed',
    detail: 'privacy.categories',
  },
  createAgent: { body: { name: 'Third', systemPrompt: SECRET }, action: 'agent.created' },
  updateAgent: {
    body: { model: 'gpt-4o', systemPrompt: SECRET },
    action: 'agent.changed',
    of: 'agent',
    detail: 'systemPrompt, model',
  },
  deleteAgent: { action: 'agent.deleted', of: 'secondAgent' },
  deleteResponse: { action: 'response.deleted', of: 'secondResponse' },
  createWebhook: { body: { url: URL, events: ['webhook.test'] }, action: 'webhook.created' },
  updateWebhook: { body: { url: URL }, action: 'webhook.changed', of: 'webhook', detail: 'url' },
  putWebhook: {
    body: { url: URL, isActive: false },
    action: 'webhook.changed',
    of: 'webhook',
    detail: 'url, isActive',
  },
  rotateWebhookSecret: { action: 'webhook.rotated', of: 'webhook' },
  deleteWebhook: { action: 'webhook.deleted', of: 'secondWebhook' },
  createTool: {
    body: { name: 'third', description: SECRET, parameters: { type: 'object' }, url: URL },
    action: 'tool.created',
  },
  updateTool: { body: { url: URL }, action: 'tool.changed', of: 'tool', detail: 'url' },
  putTool: {
    body: { url: URL, isActive: true },
    action: 'tool.changed',
    of: 'tool',
    detail: 'url, isActive',
  },
  rotateToolSecret: { action: 'tool.rotated', of: 'tool' },
  linkTool: { body: { toolId: 'TOOL' }, action: 'tool.linked', of: 'tool', detail: 'AGENT' },
  unlinkTool: { action: 'tool.unlinked', of: 'tool', detail: 'AGENT' },
  deleteTool: { action: 'tool.deleted', of: 'secondTool' },
  createMcpServer: {
    body: { name: 'third', url: 'MCP', headers: { authorization: SECRET } },
    action: 'mcp_server.created',
  },
  acceptMcpServer: {
    body: { snapshotHash: 'SNAPSHOT' },
    action: 'mcp_server.accepted',
    of: 'mcpServer',
  },
  deleteMcpServer: { action: 'mcp_server.deleted', of: 'secondMcpServer' },
  createKnowledgeSource: {
    body: { name: 'Third', description: SECRET },
    action: 'knowledge_source.created',
  },
  linkKnowledgeSource: {
    body: { sourceId: 'SOURCE' },
    action: 'knowledge_source.linked',
    of: 'source',
    detail: 'AGENT',
  },
  unlinkKnowledgeSource: { action: 'knowledge_source.unlinked', of: 'source', detail: 'AGENT' },
  deleteKnowledgeDocument: { action: 'knowledge_document.deleted', of: 'document' },
  deleteKnowledgeSource: { action: 'knowledge_source.deleted', of: 'secondSource' },
};

const AUDITED = Object.entries(OPERATIONS).flatMap(([id, value]) =>
  typeof value === 'string' ? [] : [[id, value] as const],
);

// The api-gateway owns the audit, so the transport between services makes no difference.
describe('the audit', () => {
  let fixture: Fixture;
  let mcpServer: ListingServer;
  let keys: Keys;
  let keyId: string;
  let client: HttpClient;
  let objects: WorkspaceObjects;
  let operations: { id: string; method: string; path: string }[];

  beforeAll(async () => {
    mcpServer = await openListingServer();
    fixture = await openFixture({
      transport: 'in-process',
      env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' },
    });
    keys = await openKeys(fixture.system);
    const owner = await keys.makeKey();
    keyId = owner.keyId;
    client = createHttpClient(owner);
    const { provider } = fixture;
    objects = await createOwnerObjects(client, { provider, mcpUrl: mcpServer.url });
    const { json } = await client.send('/v1/openapi.json');
    operations = Object.entries((json as Document).paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'get')
        .map(([method, { operationId: id }]) => ({ id, method: method.toUpperCase(), path })),
    );
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await mcpServer[Symbol.asyncDispose]();
  });

  const fill = (text: string): string =>
    text
      .replace('TOOL', objects.tool)
      .replace('AGENT', objects.agent)
      .replace('SOURCE', objects.source)
      .replace('SNAPSHOT', objects.snapshotHash)
      .replace('"MCP"', JSON.stringify(mcpServer.url));
  const entriesOf = async (): Promise<Entry[]> => {
    const { status, json } = await client.send('/v1/audit?limit=500');
    expect(status).toBe(200);
    return (json as { events: Entry[] }).events;
  };
  /** Returns the id that `{id}` of a path stands for, which is not always the audit's target. */
  const ownerOf = (path: string, of: Audited['of']): string =>
    path.startsWith('/v1/agents/{id}/') ? objects.agent : of ? objects[of] : '';

  it('covers every operation that is not a GET', () => {
    expect(Object.keys(OPERATIONS).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  it.each(AUDITED)('has an entry of %s, with names and without secrets', async (id, expected) => {
    const { method, path } = operations.find((operation) => operation.id === id)!;
    const before = (await entriesOf()).length;
    const url = path
      .replace('{id}', ownerOf(path, expected.of))
      .replace('{toolId}', objects.tool)
      .replace('{sourceId}', objects.source);
    const body = expected.body && fill(JSON.stringify(expected.body));
    const answer = await client.send(url, { method, body });
    expect([Math.floor(answer.status / 100), answer.text]).toEqual([2, expect.any(String)]);
    const entries = await entriesOf();
    const added = entries.slice(0, entries.length - before);
    expect(added).toContainEqual(
      expect.objectContaining({
        action: expected.action,
        actor: keyId,
        ...(expected.of && { target: objects[expected.of] }),
        ...(expected.detail && { detail: fill(expected.detail) }),
      }),
    );
    expect(JSON.stringify(added)).not.toContain(SECRET);
  });

  it('names the members of the workspace that changed', async () => {
    const before = (await entriesOf()).length;
    const body = {
      name: 'Renamed',
      aliases: {},
      router: { cheap: { targets: [] } },
      privacy: {},
      memory: { globalWrites: false },
      responses: { storing: false },
    };
    expect((await client.send('/v1/workspace', { method: 'PUT', body })).status).toBe(200);
    const entries = await entriesOf();
    const details = entries
      .slice(0, entries.length - before)
      .map(({ action, detail }) => `${action}: ${detail}`)
      .toSorted();
    expect(details).toEqual([
      'workspace.changed: name, aliases, router.cheap, memory.globalWrites, responses.storing',
      'workspace.privacy_changed: privacy (defaults)',
    ]);
  });

  it('has no entry of a change that was refused', async () => {
    const before = (await entriesOf()).length;
    const body = { url: 'https://127.0.0.1:1/' };
    const unknown = objects.webhook.slice(0, -3) + 'zzz';
    const refused = await client.send(`/v1/webhooks/${unknown}`, { method: 'PATCH', body });
    expect(refused.status).toBe(404);
    expect(await entriesOf()).toHaveLength(before);
  });
});
