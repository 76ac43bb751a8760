import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkSchema } from '../conformance/check-schema.ts';
import { TOKEN_COUNT } from '../conformance/message-schemas.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';

const tools = [{ name: 'get_time', input_schema: { type: 'object' as const } }];

describe('counting tokens with @anthropic-ai/sdk', () => {
  let setup: ClientSetup;
  let client: Anthropic;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
    const { baseUrl: baseURL, apiKey } = setup.fixture.system;
    client = new Anthropic({ baseURL, apiKey, fetch: setup.recorder.fetch, maxRetries: 0 });
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  it.each(['claude-sonnet-5-5', 'gpt-4.1'])(
    'is an estimate for %s, and reaches no provider',
    async (model) => {
      const count = async (content: string): Promise<number> => {
        const messages = [{ role: 'user' as const, content }];
        const body = { model, system: 'Be brief.', messages, tools };
        return (await client.messages.countTokens(body)).input_tokens;
      };
      const [short, long] = [await count('How long is this?'), await count('word '.repeat(400))];
      expect(short).toBeGreaterThan(0);
      expect([long > 300, long < 1_000]).toEqual([true, true]);
      const call = setup.lastCall();
      await call.ended;
      expect(call.headers.get('x-service-estimated')).toBe('true');
      expect(call.headers.get('request-id')).toMatch(/^req_/);
      expect(checkSchema(TOKEN_COUNT, JSON.parse(call.bytes().toString()))).toEqual([]);
      expect(setup.fixture.calls()).toEqual([]);
      expect(await setup.fixture.client.listCertificates()).toEqual([]);
    },
  );
});
