import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const VALUES = ['Ingrid Solberg', 'ingrid.solberg@fjordbank.no'];
const messages = [{ role: 'user', content: `I am ${VALUES.join(', ')}. What is 2 + 2?` }];

type Preview = {
  egress: { provider: string; model: string; sha256: string; body: string };
  masked: { placeholder: string; category: string; value: string }[];
  routing: { reason: string };
};

describe.each(TRANSPORTS)('the preview of a call, services over %s', (transport) => {
  let fixture: Fixture;
  let expectDocumented: ExpectDocumented;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    expectDocumented = await createExpectDocumented(fixture.client);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const preview = async (path: string, body: object): Promise<Preview> => {
    const answer = await fixture.client.send(`${path}/preview`, { body });
    expect(answer.status).toBe(200);
    expectDocumented(answer, `POST ${path}/preview`);
    return answer.json as Preview;
  };

  const CALLS = [
    ['/v1/chat/completions', { model: 'gpt-test', messages, stream: true }],
    ['/v1/chat/completions', { model: 'claude-test', messages }],
    ['/v1/messages', { model: 'claude-test', max_tokens: 50, messages }],
    ['/v1/messages', { model: 'service-auto', max_tokens: 50, messages }],
    ['/v1/responses', { model: 'gpt-test', input: messages, stream: true }],
    ['/v1/responses', { model: 'claude-test', input: messages, store: false }],
  ] as const;

  it.each(CALLS)('shows the bytes that a call of %s then sends: %j', async (path, body) => {
    const sentBefore = fixture.calls().length;
    const { egress, masked, routing } = await preview(path, body);
    expect(fixture.calls().length).toBe(sentBefore);
    expect(masked.map(({ value }) => value).toSorted()).toEqual(VALUES.toSorted());
    for (const { value, placeholder } of masked) {
      expect(egress.body).not.toContain(value);
      expect(egress.body).toContain(`[[${placeholder}]]`);
    }
    expect(egress.sha256).toBe(hash('sha256', egress.body, 'hex'));
    const answer = await fixture.client.send(path, { body });
    expect(answer.status).toBe(200);
    expect(Buffer.from(fixture.calls().at(-1)!.body).toString()).toBe(egress.body);
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.egress).toMatchObject({
      provider: egress.provider,
      model: egress.model,
      sha256: egress.sha256,
    });
    expect(payload.routing.reason).toBe(routing.reason);
  });

  it('certifies nothing, and is refused as the call would be', async () => {
    const before = (await fixture.client.listCertificates()).length;
    const path = '/v1/chat/completions/preview';
    await fixture.client.send(path, { body: { model: 'gpt-test', messages } });
    expect(await fixture.client.listCertificates()).toHaveLength(before);
    const refused = await fixture.client.send(path, { body: { model: 'service-x', messages } });
    expect(refused.status).toBe(400);
    const unknown = await fixture.client.send(path, { body: { model: 'agent:none', messages } });
    expect(unknown.status).toBe(404);
    const local = { model: 'service-sensitive', messages };
    expect((await fixture.client.send(path, { body: local })).status).toBe(503);
  });
});
