import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolService } from '@witan/contracts/services';
import { newId } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client as Postgres } from 'pg';
import { optionsFor, createAgent, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

type Draft = { name: string; description: string; parameters: string; url: string };

const SECRET = /^tlsec_[A-Za-z0-9+/]{43}=$/;
const DRAFT: Draft = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: '{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}',
  url: 'https://tools.example/weather',
};

describe('tools', () => {
  let database: TestDatabase;
  let service: TestAgents;
  let tools: Client<typeof ToolService>;
  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    service = await openAgents(database.urls.agents!, {
      lookup: async ({ hostname }) => (hostname === 'inside.example' ? ['10.1.2.3'] : []),
    });
    tools = service.clientOf(ToolService);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const create = (workspaceId: string, more: Partial<Draft> & { agentIds?: string[] } = {}) =>
    tools.createTool({ ...DRAFT, ...more }, optionsFor(workspaceId));
  const namesOf = (page: { tools: { name: string }[] }) => page.tools.map(({ name }) => name);
  const notFound = { reason: 'NOT_FOUND' };

  it('are created active, with a secret that is returned only once', async () => {
    const workspaceId = newId('ws');
    const url = 'HTTPS://Tools.Example:443/weather?unit=c';
    const { tool, secret } = await create(workspaceId, { url });
    expect(secret).toMatch(SECRET);
    expect(tool).toMatchObject({
      ...DRAFT,
      id: expect.stringMatching(/^tol_/),
      url: 'https://tools.example/weather?unit=c',
      isActive: true,
      agents: [],
    });
    const call = optionsFor(workspaceId);
    const answers = [
      await tools.getTool({ id: tool!.id }, call),
      await tools.listTools({ limit: 10 }, call),
      await tools.updateTool({ id: tool!.id, isActive: false }, call),
    ];
    expect(JSON.stringify(answers, bigintAsText)).not.toContain(secret.slice(6));
    expect(answers[0]).toMatchObject({ tool: { parameters: DRAFT.parameters } });
    expect(answers[2]).toMatchObject({ tool: { isActive: false } });
  });

  it('have a secret that is encrypted for their row only', async () => {
    const workspaceId = newId('ws');
    const one = await create(workspaceId);
    const other = await create(workspaceId, { name: 'other' });
    const admin = new Postgres({ connectionString: database.adminUrl });
    await admin.connect();
    const { rows } = await admin.query<{ text: string }>(
      'SELECT t::text AS text FROM agents.tool AS t WHERE workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toHaveLength(2);
    for (const { text } of rows) expect(text).not.toContain(one.secret.slice(6));
    await admin.query(
      `UPDATE agents.tool SET sealed_secret = other.sealed_secret
       FROM agents.tool AS other WHERE agents.tool.id = $1 AND other.id = $2`,
      [one.tool!.id, other.tool!.id],
    );
    await admin.end();
    const request = { id: one.tool!.id, arguments: '{"city":"a"}' };
    const calling = tools.testTool(request, optionsFor(workspaceId));
    await expect(calling).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('have a unique name in the workspace, on creation and on change', async () => {
    const workspaceId = newId('ws');
    const nameTakenError = { reason: 'CONFLICT', fields: { code: 'name_taken', param: 'name' } };
    await create(workspaceId);
    await create(newId('ws'));
    await expect(create(workspaceId)).rejects.toMatchObject(nameTakenError);
    const { tool } = await create(workspaceId, { name: 'get_Weather' });
    const change = { id: tool!.id, name: DRAFT.name };
    await expect(tools.updateTool(change, optionsFor(workspaceId))).rejects.toMatchObject(
      nameTakenError,
    );
    const renamedTool = await tools.updateTool(
      { id: tool!.id, name: 'get_Weather' },
      optionsFor(workspaceId),
    );
    expect(renamedTool.tool!.name).toBe('get_Weather');
  });

  const schema = (value: object): Partial<Draft> => ({ parameters: JSON.stringify(value) });
  const schemaWithProperty = (a: object): Partial<Draft> =>
    schema({ type: 'object', properties: { a } });
  it('name every invalid member in one refusal', async () => {
    const invalid = { name: 'get-weather', description: ' ', parameters: '{"type":"string"}' };
    const error = await create(newId('ws'), invalid).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reason: 'INVALID_REQUEST', fields: { param: 'name' } });
    expect((error as Error).message).toMatch(
      /^name must be 1 to 64 .*first\. description is empty.* parameters\.type must be "object"/,
    );
  });

  it.each<[string, Partial<Draft>, string]>([
    ['a name with a dash', { name: 'get-weather' }, 'name'],
    ['a name that begins with a digit', { name: '1st' }, 'name'],
    ['a name that is too long', { name: 'n'.repeat(65) }, 'name'],
    ['a name with a trailing newline', { name: 'get\n' }, 'name'],
    ['no description', { description: ' \n' }, 'description'],
    ['a description that is too long', { description: 'd'.repeat(4_001) }, 'description'],
    ['a description with NUL', { description: 'a\0' }, 'description'],
    ['an unpaired surrogate', { description: '\ud83d' }, 'description'],
    ['parameters that are not JSON', { parameters: '{' }, 'parameters'],
    ['a list of parameters', { parameters: '[]' }, 'parameters'],
    ['no type', schema({}), 'parameters.type'],
    ['a type that is not object', schema({ type: 'string' }), 'parameters.type'],
    ['several types', schema({ type: ['object', 'null'] }), 'parameters.type'],
    ['an unknown type', schemaWithProperty({ type: 'text' }), 'parameters.properties.a.type'],
    ['a property that is not a schema', schemaWithProperty(5 as never), 'parameters.properties.a'],
    ['a misspelt keyword', schemaWithProperty({ typ: 'string' }), 'parameters.properties.a.typ'],
    [
      'a minimum that is not a number',
      schemaWithProperty({ minimum: '1' }),
      'parameters.properties.a.minimum',
    ],
    ['an invalid pattern', schemaWithProperty({ pattern: '(' }), 'parameters.properties.a.pattern'],
    ['an empty enum', schemaWithProperty({ enum: [] }), 'parameters.properties.a.enum'],
    [
      'a remote $ref',
      schemaWithProperty({ $ref: 'https://a.example/s' }),
      'parameters.properties.a.$ref',
    ],
    [
      'a $ref to nothing',
      schemaWithProperty({ $ref: '#/$defs/b' }),
      'parameters.properties.a.$ref',
    ],
    ['an $id', schema({ type: 'object', $id: 'https://a.example/' }), 'parameters.$id'],
    [
      'another draft',
      schema({ type: 'object', $schema: 'https://a.example' }),
      'parameters.$schema',
    ],
    ['a circular $ref', schema({ type: 'object', allOf: [{ $ref: '#' }] }), 'parameters'],
    ['a long schema', schemaWithProperty({ description: 'x'.repeat(16_384) }), 'parameters'],
    ['a deep schema', { parameters: `{"a":${'['.repeat(64)}${']'.repeat(64)}}` }, 'parameters'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'url'],
    ['a host name with a private address', { url: 'https://inside.example/' }, 'url'],
    ['plain http', { url: 'http://tools.example/' }, 'url'],
    ['an invalid URL', { url: 'tools' }, 'url'],
  ])('are rejected with %s, on creation and on change', async (_name, invalidChange, param) => {
    const workspaceId = newId('ws');
    const refusal = { reason: 'INVALID_REQUEST', fields: { param } };
    await expect(create(workspaceId, invalidChange)).rejects.toMatchObject(refusal);
    expect(await tools.listTools({ limit: 1 }, optionsFor(workspaceId))).toMatchObject({
      tools: [],
    });
    const { tool } = await create(workspaceId);
    const change = { id: tool!.id, ...invalidChange };
    await expect(tools.updateTool(change, optionsFor(workspaceId))).rejects.toMatchObject(refusal);
    const unchanged = await tools.getTool({ id: tool!.id }, optionsFor(workspaceId));
    expect(unchanged.tool).toMatchObject(DRAFT);
  });

  it('accept typical schemas', async () => {
    const workspaceId = newId('ws');
    const typicalSchemas = [
      { type: 'object' },
      { type: 'object', properties: {}, additionalProperties: false },
      {
        type: 'object',
        title: 'Search',
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
        properties: {
          type: { type: 'string', enum: ['a', 'b'], default: 'a' },
          $ref: { type: ['string', 'null'], format: 'x-any', pattern: '^\\p{L}+$' },
          required: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
          nullable: { type: 'string', nullable: true },
          node: { $ref: '#/$defs/node', description: 'A list' },
          pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
        },
      },
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        definitions: { pair: { type: 'array', items: [{ type: 'string' }, true] } },
        properties: { pair: { $ref: '#/definitions/pair' } },
        dependencies: { a: ['b'] },
      },
    ];
    for (const [index, one] of typicalSchemas.entries()) {
      const parameters = JSON.stringify(one);
      const { tool } = await create(workspaceId, { name: `tool_${index}`, parameters });
      expect(tool!.parameters).toBe(parameters);
    }
  });

  it('are linked to agents on creation, which fails if an agent is unknown', async () => {
    const workspaceId = newId('ws');
    const [zoe, ann] = [
      await createAgent(service, workspaceId, 'Zoe'),
      await createAgent(service, workspaceId, 'Ann'),
    ];
    const foreignAgent = await createAgent(service, newId('ws'), 'Eve');
    for (const unknown of [foreignAgent, newId('agt'), 'agt_\0', 'nobody']) {
      const creating = create(workspaceId, { agentIds: [ann, unknown] });
      await expect(creating).rejects.toMatchObject({
        reason: 'INVALID_REQUEST',
        fields: { param: 'agentIds' },
        message: expect.stringContaining(unknown),
      });
    }
    expect(await tools.listTools({ limit: 1 }, optionsFor(workspaceId))).toMatchObject({
      tools: [],
    });
    const { tool } = await create(workspaceId, { agentIds: [zoe, ann, zoe] });
    const agents = [
      { id: ann, name: 'Ann' },
      { id: zoe, name: 'Zoe' },
    ];
    expect(tool).toMatchObject({ agents });
    expect(await tools.getTool({ id: tool!.id }, optionsFor(workspaceId))).toMatchObject({
      tool: { agents },
    });
  });

  it('are linked and unlinked idempotently, and listed by agent', async () => {
    const workspaceId = newId('ws');
    const call = optionsFor(workspaceId);
    const agentId = await createAgent(service, workspaceId);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await create(workspaceId, { name })).tool!.id);
    for (const toolId of [...ids, ...ids]) await tools.linkTool({ agentId, toolId }, call);
    const first = await tools.listAgentTools({ agentId, limit: 2 }, call);
    expect(namesOf(first)).toEqual(['c', 'b']);
    expect(first.nextCursor).toBe(ids[1]);
    const next = await tools.listAgentTools({ agentId, limit: 2, cursor: ids[1]! }, call);
    expect([namesOf(next), next.nextCursor]).toEqual([['a'], '']);
    for (let turn = 0; turn < 2; turn += 1) {
      await tools.unlinkTool({ agentId, toolId: ids[1]! }, call);
    }
    expect(namesOf(await tools.listAgentTools({ agentId, limit: 9 }, call))).toEqual(['c', 'a']);
    await tools.deleteTool({ id: ids[0]! }, call);
    expect(namesOf(await tools.listAgentTools({ agentId, limit: 9 }, call))).toEqual(['c']);
    await service.agents.deleteAgent({ id: agentId }, call);
    expect(await tools.getTool({ id: ids[2]! }, call)).toMatchObject({ tool: { agents: [] } });
    await expect(tools.listAgentTools({ agentId, limit: 9 }, call)).rejects.toMatchObject(notFound);
  });

  it('cannot be read or changed by another workspace', async () => {
    const ownWorkspaceId = newId('ws');
    const otherWorkspaceId = newId('ws');
    const ownAgent = await createAgent(service, ownWorkspaceId);
    const otherAgent = await createAgent(service, otherWorkspaceId);
    const { tool } = await create(ownWorkspaceId, { agentIds: [ownAgent] });
    const id = tool!.id;
    const call = optionsFor(otherWorkspaceId);
    const foreignCalls = [
      tools.getTool({ id }, call),
      tools.updateTool({ id, url: 'https://10.0.0.1/' }, call),
      tools.deleteTool({ id }, call),
      tools.rotateToolSecret({ id }, call),
      tools.testTool({ id, arguments: '' }, call),
      tools.linkTool({ agentId: otherAgent, toolId: id }, call),
      tools.linkTool({ agentId: ownAgent, toolId: id }, call),
      tools.unlinkTool({ agentId: ownAgent, toolId: id }, call),
      tools.listAgentTools({ agentId: ownAgent, limit: 1 }, call),
    ];
    for (const foreignCall of foreignCalls)
      await expect(foreignCall).rejects.toMatchObject(notFound);
    expect(await tools.listTools({ limit: 1 }, call)).toMatchObject({ tools: [] });
    const unchanged = await tools.getTool({ id }, optionsFor(ownWorkspaceId));
    expect(unchanged.tool).toMatchObject({ ...DRAFT, agents: [{ id: ownAgent }] });
  });

  it('are limited to 100, even under concurrent creation', async () => {
    const workspaceId = newId('ws');
    const created = await Promise.allSettled(
      Array.from({ length: 103 }, (_, n) => create(workspaceId, { name: `tool_${n}` })),
    );
    const refused = created.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(3);
    for (const { reason } of refused as { reason: unknown }[]) {
      expect(reason).toMatchObject({ fields: { code: 'tool_limit_reached' } });
    }
    const { tools: all, nextCursor } = await tools.listTools(
      { limit: 100 },
      optionsFor(workspaceId),
    );
    expect([all.length, nextCursor]).toEqual([100, '']);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  }, 20_000);

  it.each([0, 501])('reject a page size of %i', async (limit) => {
    const refusal = { reason: 'INVALID_REQUEST', fields: { param: 'limit' } };
    await expect(tools.listTools({ limit }, optionsFor(newId('ws')))).rejects.toMatchObject(
      refusal,
    );
  });
});

const bigintAsText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;
