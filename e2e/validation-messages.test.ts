import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

type Schema = { $ref?: string; properties?: Record<string, Schema> };
type Operation = { requestBody?: { content: Record<string, { schema: Schema }> } };
type Openapi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
type ErrorBody = { error: { message: string; details?: { path: string; message: string }[] } };

/** Values that are invalid for most members of request bodies. */
const INVALID_VALUES: readonly unknown[] = [
  '',
  ' ',
  'a\0b',
  'no such thing\n',
  'x'.repeat(40_000),
  [],
  [[]],
  [7, 7],
  [{}],
  {},
  { '': '' },
  0,
  -1.5,
  1e300,
  true,
];

/**
 * Matches terms of JSON Schema, of regular expressions and of the validation library, which clients
 * must not see.
 */
const JARGON = /pattern|regex|schema|keyword|NOT|\\|\^|\$\)|undefined|\bitem\(s\)|properties/;

describe('error messages of refused bodies', () => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport: 'in-process' });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('are readable in every native operation with a body', async () => {
    const { json } = await fixture.client.send('/v1/openapi.json');
    const { paths, components } = json as Openapi;
    const follow = ({ $ref, ...schema }: Schema): Schema =>
      $ref ? components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]! : schema;
    const messages = new Set<string>();
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        const schema = requestBody?.content['application/json']?.schema;
        const members = Object.keys((schema && follow(schema).properties) ?? {});
        for (const value of schema ? INVALID_VALUES : []) {
          const body = Object.fromEntries(members.map((name) => [name, value]));
          const init = { method: method.toUpperCase(), body };
          const url = path.replaceAll(/\{\w+\}/g, 'nobody');
          const answer = await fixture.client.send(url, init);
          if (answer.status !== 400) continue;
          const { error } = answer.json as ErrorBody;
          for (const { message } of [error, ...(error.details ?? [])]) messages.add(message);
        }
      }
    }
    expect(messages.size).toBeGreaterThan(100);
    expect([...messages].filter((message) => JARGON.test(message))).toEqual([]);
  });
});
