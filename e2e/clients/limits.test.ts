import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createHttpClient } from '../http-client.ts';
import { openKeys } from '../open-keys.ts';
import type { Keys, CreatedKey } from '../open-keys.ts';
import { openFixture } from '../open-fixture.ts';
import type { Fixture } from '../open-fixture.ts';
import { anthropicClient } from './anthropic-client.ts';
import { failureOf } from './failure-of.ts';
import { createFetchRecorder } from './create-fetch-recorder.ts';
import { openaiClient } from './openai-client.ts';

/** Rate limit: a burst of sixty calls, then one call per second. */
const ENV = { WITAN_RATE_LIMIT_PER_MINUTE: '60' };
const TURNS = [{ user: 'Are you there?' }];
const OFFICIAL_CLIENTS = [
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
  const exhaustRateLimit = async (): Promise<CreatedKey> => {
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

  it.each(OFFICIAL_CLIENTS)(
    'waits for the advised time and succeeds: %s',
    async (_name, kind, model) => {
      const { baseUrl: origin, apiKey } = await exhaustRateLimit();
      const { fetch, calls } = createFetchRecorder();
      const client = kind.create({ origin, apiKey, fetch, maxRetries: 1 });
      const callsBefore = fixture.calls().length;
      const startedAt = performance.now();
      expect((await client.ask({ model, turns: TURNS })).text).toBe('pong');
      // Without `retry-after` the client would retry after at most half a second.
      expect(performance.now() - startedAt).toBeGreaterThan(950);
      const responses = calls.map(({ status, headers }) => [status, headers.get('retry-after')]);
      expect(responses).toEqual([
        [429, '1'],
        [200, null],
      ]);
      expect(fixture.calls()).toHaveLength(callsBefore + 1);
    },
  );

  it.each(OFFICIAL_CLIENTS)(
    'gets a rate limit error without retries: %s',
    async (_name, kind, model) => {
      const { baseUrl: origin, apiKey } = await exhaustRateLimit();
      const client = kind.create({ origin, apiKey, fetch: createFetchRecorder().fetch });
      const failure = await failureOf(client, client.ask({ model, turns: TURNS }));
      expect(failure).toEqual({
        kind: 'RateLimitError',
        status: 429,
        message: expect.stringContaining('60 calls a minute'),
        requestId: expect.stringMatching(/^req_/),
      });
    },
  );
});
