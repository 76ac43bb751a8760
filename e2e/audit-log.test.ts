import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';
import type { CreatedKey, Keys } from './open-keys.ts';

const PATH = '/v1/audit';

type Event = {
  id: string;
  action: string;
  actor: string;
  target: string;
  detail: string | null;
  createdAt: string;
};
type Page = { events: Event[]; nextCursor?: string };

// The api-gateway owns the audit, so the transport between services makes no difference.
describe('the audit log', () => {
  let fixture: Fixture;
  let keys: Keys;
  let owner: CreatedKey;
  let client: HttpClient;
  let expectDocumented: ExpectDocumented;
  let all: Event[];
  let keyIds: string[];

  beforeAll(async () => {
    fixture = await openFixture({ transport: 'in-process' });
    keys = await openKeys(fixture.system);
    owner = await keys.makeKey();
    client = createHttpClient(owner);
    expectDocumented = await createExpectDocumented(client);
    keyIds = [];
    for (const name of ['one', 'two', 'three']) {
      const { json } = await client.send('/v1/api-keys', { body: { name } });
      keyIds.push((json as { apiKey: { id: string } }).apiKey.id);
    }
    await client.send(`/v1/api-keys/${keyIds[0]}/rotate`, { method: 'POST' });
    await client.send(`/v1/api-keys/${keyIds[1]}`, { method: 'DELETE' });
    all = (await read('?limit=500')).events;
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const send = async (query: string): Promise<Answer> => {
    const answer = await client.send(`${PATH}${query}`);
    expectDocumented(answer, `GET ${PATH}`);
    return answer;
  };
  const read = async (query: string): Promise<Page> => {
    const answer = await send(query);
    expect([query, answer.status, answer.text]).toEqual([query, 200, expect.any(String)]);
    return answer.json as Page;
  };

  it('lists who did what to what, newest first', () => {
    expect(all.map(({ action, actor, target }) => [action, actor, target])).toEqual([
      ['key.revoked', owner.keyId, keyIds[1]],
      ...[
        ['key.rotated', owner.keyId, keyIds[0]],
        ['key.created', owner.keyId, expect.any(String)],
      ].toSorted(() => (all[1]!.action === 'key.rotated' ? 0 : -1)),
      ['key.created', owner.keyId, keyIds[2]],
      ['key.created', owner.keyId, keyIds[1]],
      ['key.created', owner.keyId, keyIds[0]],
      ['key.created', 'e2e', owner.keyId],
    ]);
    expect(all.find(({ action }) => action === 'key.rotated')!.detail).toMatch(/^key_/);
  });

  it('is paged', async () => {
    const events: Event[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Page = await read(`?limit=2&cursor=${cursor}`);
      events.push(...page.events);
      cursor = page.nextCursor;
    }
    expect(events).toEqual(all);
  });

  it.each<[string, (event: Event) => boolean]>([
    ['action=key.created', ({ action }) => action === 'key.created'],
    ['actor=e2e', ({ actor }) => actor === 'e2e'],
    ['target=SECOND', ({ target }) => target === keyIds[1]],
    [
      'action=key.created&actor=OWNER',
      (one) => one.action === 'key.created' && one.actor === owner.keyId,
    ],
    ['from=THIRD', ({ createdAt }) => createdAt >= all[2]!.createdAt],
    ['to=THIRD', ({ createdAt }) => createdAt <= all[2]!.createdAt],
    ['from=2099-01-01T00:00:00Z', () => false],
  ])('is filtered by %s', async (filter, isExpected) => {
    const query = filter
      .replace('SECOND', keyIds[1]!)
      .replace('OWNER', owner.keyId)
      .replace('THIRD', all[2]!.createdAt);
    expect((await read(`?${query}`)).events).toEqual(all.filter(isExpected));
  });

  it('is exported as lines of JSON and as CSV', async () => {
    const lines = (await send('?format=ndjson')).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Event)).toEqual(all);
    const limited = (await send('?format=ndjson&limit=2')).text.trimEnd().split('\n');
    expect(limited).toEqual(lines.slice(0, 2));
    const csv = await client.send(`${PATH}?format=csv&actor=e2e`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const { id, createdAt } = all.at(-1)!;
    expect(csv.text).toBe(
      'id,action,actor,target,detail,createdAt\r\n' +
        `${id},key.created,e2e,${owner.keyId},,${createdAt}\r\n`,
    );
  });

  it.each(['cursor=aud_0000000000000000000000', 'cursor=x', 'from=now', 'format=xml', 'limit=0'])(
    'is not listed with %s',
    async (query) => {
      expect((await send(`?${query}`)).status).toBe(400);
    },
  );

  it('is shown to keys with the scope keys or keys:read, of their workspace only', async () => {
    const reader = createHttpClient(await keys.makeKey(['keys:read']));
    const { json } = await reader.send(PATH);
    expect((json as Page).events.map(({ action }) => action)).toEqual(['key.created']);
    const other = createHttpClient(await keys.makeKey(['gateway']));
    const refusal = { status: 403, code: 'insufficient_scope', param: 'keys' };
    expectNativeRefusal(await other.send(PATH), refusal);
  });
});
