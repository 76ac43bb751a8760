import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { expectNativeRefusal } from './expect-refusal.ts';
import { METERED, openAccounts } from './open-accounts.ts';
import type { Accounts, Member } from './open-accounts.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const EMPTY_BALANCE_ERROR = { status: 402, type: 'insufficient_quota', code: 'insufficient_quota' };
const messages = [{ role: 'user', content: 'ping' }];

/** Native operations that call a model before they respond, with a valid body for each. */
const CALLS: [string, object][] = [
  ['POST /v1/ai/complete', { systemPrompt: 'Be.', messages }],
  ['POST /v1/agents/{id}/chat', { message: 'ping' }],
  ['POST /v1/conversations/{id}/message', { content: 'Hire?' }],
  ['POST /v1/sim-engine/simulations/{id}/advance', {}],
  ['POST /v1/market-analysis', { query: 'oat milk' }],
  ['POST /v1/market-analysis/stream', { query: 'oat milk' }],
];

describe.each(TRANSPORTS)('an empty balance, services over %s', (transport) => {
  let fixture: Fixture;
  let accounts: Accounts;
  let member: Member;
  let expectDocumented: ExpectDocumented;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    fixture = await openFixture({ transport, env: METERED });
    accounts = await openAccounts(fixture);
    expectDocumented = await createExpectDocumented(fixture.client);
    member = await accounts.createMember();
    const simulation = { name: 'n', turnUnit: 'quarter', companyBase: { revenue: 100 } };
    ids['agents'] = await make('/v1/agents', { name: 'Ann', systemPrompt: 'Be.' });
    ids['conversations'] = await make('/v1/conversations', { title: 't' });
    ids['sim-engine'] = await make('/v1/sim-engine/simulations', simulation);
  });
  afterAll(async () => {
    await accounts[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const make = async (path: string, body: object): Promise<string> => {
    const { status, json } = await member.client.send(path, { body });
    expect(status).toBe(201);
    return Object.values(json as Record<string, { id: string }>)[0]!.id;
  };

  describe.each([
    ['plain', 'application/json'],
    ['as events', 'text/event-stream'],
  ])('%s', (_form, accept) => {
    it.each(CALLS)('returns 402 insufficient_quota: %s', async (operation, body) => {
      const [, path = ''] = operation.split(' ');
      const url = path.replace('{id}', ids[path.split('/')[2]!] ?? '');
      const before = fixture.calls().length;
      const headers = { 'x-api-key': member.apiKey, accept };
      const answer = await member.client.send(url, { body, headers });
      expect(fixture.calls()).toHaveLength(before);
      expectDocumented(answer, operation);
      const { code, message } = readError(answer.text);
      expect([code, message]).toEqual(['insufficient_quota', expect.stringMatching(/\w/)]);
      // The status of a stream may already be 200; then the error is an event.
      if (answer.status !== 200) expectNativeRefusal(answer, EMPTY_BALANCE_ERROR);
    });
  });

  /** Returns the error in a plain response or in the `error` event of a stream. */
  const readError = (text: string): { code: string; message: string } => {
    const data = /^event: error\ndata: (.*)$/m.exec(text)?.[1] ?? text;
    return (JSON.parse(data) as { error: { code: string; message: string } }).error;
  };
});
