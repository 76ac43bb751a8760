import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import { openKeys } from '../open-keys.ts';
import type { Keys, CreatedKey } from '../open-keys.ts';
import { openFixture } from '../open-fixture.ts';
import type { Fixture } from '../open-fixture.ts';
import { anthropicClient } from './anthropic-client.ts';
import { failureOf } from './failure-of.ts';
import { openWire } from './open-wire.ts';
import { openaiClient } from './openai-client.ts';

/** Rate limit: a burst of sixty calls, then one call per second. */
const ENV = { WITAN_RATE_LIMIT_PER_MINUTE: '60' };
const TURNS = [{ user: 'Are you there?' }];
const OFFICIAL = [
  [openaiClient.name, openaiClient, 'gpt-4.1'],
  [anthropicClient.name, anthropicClient, 'claude-sonnet-5-5'],
] as const;

describe('a client over its rate limit', () => {
  let fixture: Fixture;
  let keys: Keys;

  beforeAll(async () => {
    fixture = await openFixture({ transport: 'in-process', env: ENV });
    keys = await openKeys(fixture.system);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Makes calls until the rate limit is exhausted, so that the next call is allowed almost a second
   * later. Returns the API key.
   */
  const spend = async (): Promise<CreatedKey> => {
    const key = await keys.makeKey();
    const client = createHttpClient(key);
    const call = async (): Promise<number> => (await client.send('/v1/proofs')).status;
    await eventually(async () => {
      while ((await call()) === 200);
      return true;
    }, 'the end of the allowance');
    await eventually(async () => ((await call()) === 200 ? true : undefined), 'one more call');
    return key;
  };

  it.each(OFFICIAL)('waits for the advised time and succeeds: %s', async (_n, kind, model) => {
    const { baseUrl: origin, apiKey } = await spend();
    const { fetch, calls } = openWire();
    const client = kind.create({ origin, apiKey, fetch, maxRetries: 1 });
    const asked = fixture.calls().length;
    const started = performance.now();
    expect((await client.ask({ model, turns: TURNS })).text).toBe('pong');
    // Without `retry-after` the client would retry after at most half a second.
    expect(performance.now() - started).toBeGreaterThan(950);
    const seen = calls.map(({ status, headers }) => [status, headers.get('retry-after')]);
    expect(seen).toEqual([
      [429, '1'],
      [200, null],
    ]);
    expect(fixture.calls()).toHaveLength(asked + 1);
  });

  it.each(OFFICIAL)('gets a rate limit error without retries: %s', async (_n, kind, model) => {
    const { baseUrl: origin, apiKey } = await spend();
    const client = kind.create({ origin, apiKey, fetch: openWire().fetch });
    const failure = await failureOf(client, client.ask({ model, turns: TURNS }));
    expect(failure).toEqual({
      kind: 'RateLimitError',
      status: 429,
      message: expect.stringContaining('60 calls a minute'),
      requestId: expect.stringMatching(/^req_/),
    });
  });
});
