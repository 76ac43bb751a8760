import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

type Parameter = { name: string; in: string; schema: { pattern?: string } };
type Operation = {
  parameters: Parameter[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
};
type Openapi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};

/** Returns whether both paths match a request, and neither is the more specific one. */
const areAmbiguous = (one: string, other: string): boolean => {
  const [segments, others] = [one.split('/'), other.split('/')];
  if (segments.length !== others.length) return false;
  const isParameter = (segment: string): boolean => segment.startsWith('{');
  const kinds = segments.map((segment, index) => {
    const [left, right] = [isParameter(segment), isParameter(others[index]!)];
    if (left === right) return left || segment === others[index] ? 'same' : 'different';
    return left ? 'other' : 'one';
  });
  return !kinds.includes('different') && kinds.includes('one') && kinds.includes('other');
};

describe('the OpenAPI document', () => {
  let fixture: Fixture;
  let document: Openapi;
  let operations: (Operation & { path: string; method: string })[];

  beforeAll(async () => {
    fixture = await openFixture({ transport: 'in-process' });
    const { json } = await fixture.client.send('/v1/openapi.json');
    document = json as Openapi;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
    );
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('has no two paths that match the same request', () => {
    expect(areAmbiguous('/v1/tools/mcp-servers/{id}', '/v1/tools/{id}/test')).toBe(true);
    const paths = Object.keys(document.paths);
    const pairs = paths.flatMap((one, index) =>
      paths.slice(index + 1).flatMap((other) => (areAmbiguous(one, other) ? [[one, other]] : [])),
    );
    expect(pairs).toEqual([]);
  });

  it('refers to each of its components', () => {
    const text = JSON.stringify(document);
    const names = Object.keys(document.components.schemas);
    expect(names.length).toBeGreaterThan(20);
    const unused = names.filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    expect(unused).toEqual([]);
  });

  it('accepts an empty cursor, which starts every list', async () => {
    const lists = operations.filter(
      ({ path, parameters }) =>
        !path.includes('{') && parameters.some(({ name }) => name === 'cursor'),
    );
    expect(lists.length).toBeGreaterThan(7);
    for (const { path } of lists) {
      const { status, text } = await fixture.client.send(`${path}?cursor=`);
      expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
    }
  });

  it('has a pattern for Last-Event-ID that matches exactly the ids of events', async () => {
    const path = '/v1/conversations/{id}/message';
    const { parameters } = operations.find((one) => one.path === path)!;
    const { schema } = parameters.find(({ name }) => name === 'Last-Event-ID')!;
    const pattern = new RegExp(schema.pattern!, 'u');
    const created = await fixture.client.send('/v1/conversations', { body: { title: 't' } });
    const { id } = (created.json as { conversation: { id: string } }).conversation;
    for (const text of ['', 'dbt_1:0', 'dbt_1:12', 'dbt_1', 'nonsense', 'dbt_1:-1', 'dbt_1:01']) {
      const headers = { 'x-api-key': fixture.system.apiKey, 'last-event-id': text };
      const answer = await fixture.client.send(path.replace('{id}', id), { body: {}, headers });
      const { param } = (answer.json as { error: { param: string | null } }).error;
      expect([text, param === 'Last-Event-ID']).toEqual([text, !pattern.test(text)]);
    }
  });

  it('describes an event stream differently from plain text', () => {
    const streams = operations.flatMap(({ path, responses }) => {
      const schema = responses['200']?.content?.['text/event-stream']?.schema;
      return schema ? [{ path, schema }] : [];
    });
    expect(streams.length).toBeGreaterThan(5);
    for (const { path, schema } of streams) {
      expect([path, schema]).toEqual([path, expect.not.objectContaining({ type: 'string' })]);
    }
  });
});
