import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countTokensWith, failMessageWith, failWithHtml } from '@witan/testing';
import type { RecordedRequest } from '@witan/testing';
import { checkSchema } from '../conformance/check-schema.ts';
import { TOKEN_COUNT } from '../conformance/message-schemas.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';

const PATH = '/v1/messages/count_tokens';
const CLAUDE = 'claude-sonnet-5-5';
const messages = [{ role: 'user' as const, content: 'How long is this?' }];
const tools = [{ name: 'get_time', input_schema: { type: 'object' as const } }];

describe('counting tokens with @anthropic-ai/sdk', () => {
  let bench: Bench;
  let client: Anthropic;

  beforeAll(async () => {
    bench = await openBench('in-process');
    const { baseUrl: baseURL, apiKey } = bench.fixture.system;
    client = new Anthropic({ baseURL, apiKey, fetch: bench.wire.fetch, maxRetries: 0 });
  });
  afterAll(async () => {
    expect(await bench.fixture.client.listCertificates()).toEqual([]);
    await bench[Symbol.asyncDispose]();
  });

  const counted = (): RecordedRequest[] =>
    bench.fixture.calls().filter(({ path }) => path === PATH);

  const expectEstimated = async (isEstimated: boolean): Promise<void> => {
    const call = bench.lastCall();
    await call.ended;
    expect(call.headers.get('x-service-estimated')).toBe(String(isEstimated));
    expect(call.headers.get('request-id')).toMatch(/^req_/);
    expect(checkSchema(TOKEN_COUNT, JSON.parse(call.bytes().toString()))).toEqual([]);
  };

  it('is forwarded unchanged to the vendor of the same dialect', async () => {
    bench.fixture.provider.script(countTokensWith(4711), { path: PATH });
    const body = { model: CLAUDE, system: 'Be brief.', messages, tools };
    expect(await client.messages.countTokens(body)).toMatchObject({ input_tokens: 4711 });
    expect(counted().at(-1)!.body.toString()).toBe(bench.lastCall().sent);
    await expectEstimated(false);
  });

  it('forwards the betas of the client', async () => {
    bench.fixture.provider.script(countTokensWith(12), { path: PATH });
    const betas = ['context-1m-2025-08-07'];
    const count = await client.beta.messages.countTokens({ model: CLAUDE, messages, betas });
    expect(count).toMatchObject({ input_tokens: 12 });
    expect(counted().at(-1)!.headers['anthropic-beta']).toContain('context-1m-2025-08-07');
  });

  it('is estimated without a request for a vendor of the other dialect', async () => {
    const before = bench.fixture.calls().length;
    const { input_tokens: few } = await client.messages.countTokens({ model: 'gpt-4.1', messages });
    const long = [{ role: 'user' as const, content: 'word '.repeat(400) }];
    const { input_tokens: many } = await client.messages.countTokens({
      model: 'gpt-4.1',
      messages: long,
    });
    expect(few).toBeGreaterThan(0);
    expect(many).toBeGreaterThan(300);
    expect(many).toBeLessThan(1_000);
    expect(bench.fixture.calls()).toHaveLength(before);
    await expectEstimated(true);
  });

  it.each([
    ['is down', failMessageWith(529)],
    ['refuses our credentials', failMessageWith(401)],
    ['answers with a page', failWithHtml()],
  ])('is estimated when the vendor %s', async (_what, script) => {
    bench.fixture.provider.script(script, { path: PATH });
    const { input_tokens: count } = await client.messages.countTokens({ model: CLAUDE, messages });
    expect(count).toBeGreaterThan(0);
    await expectEstimated(true);
  });

  it('returns the error message of a vendor that refuses the request', async () => {
    bench.fixture.provider.script(failMessageWith(400), { path: PATH });
    const count = client.messages.countTokens({ model: CLAUDE, messages });
    const error: unknown = await count.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ apiMessage: 'Scripted failure 400.' });
  });
});
