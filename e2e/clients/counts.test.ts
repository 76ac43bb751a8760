import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countTokensWith, failMessageWith, failWithHtml } from '@witan/testing';
import type { RecordedRequest } from '@witan/testing';
import { checkSchema } from '../conformance/check-schema.ts';
import { TOKEN_COUNT } from '../conformance/message-schemas.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';

const COUNT_PATH = '/v1/messages/count_tokens';
const CLAUDE_MODEL = 'claude-sonnet-5-5';
const messages = [{ role: 'user' as const, content: 'How long is this?' }];
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
    expect(await setup.fixture.client.listCertificates()).toEqual([]);
    await setup[Symbol.asyncDispose]();
  });

  const countRequests = (): RecordedRequest[] =>
    setup.fixture.calls().filter(({ path }) => path === COUNT_PATH);

  const expectEstimated = async (isEstimated: boolean): Promise<void> => {
    const call = setup.lastCall();
    await call.ended;
    expect(call.headers.get('x-service-estimated')).toBe(String(isEstimated));
    expect(call.headers.get('request-id')).toMatch(/^req_/);
    expect(checkSchema(TOKEN_COUNT, JSON.parse(call.bytes().toString()))).toEqual([]);
  };

  it('is forwarded unchanged to the vendor of the same dialect', async () => {
    setup.fixture.provider.script(countTokensWith(4711), { path: COUNT_PATH });
    const body = { model: CLAUDE_MODEL, system: 'Be brief.', messages, tools };
    expect(await client.messages.countTokens(body)).toMatchObject({ input_tokens: 4711 });
    expect(countRequests().at(-1)!.body.toString()).toBe(setup.lastCall().requestBody);
    await expectEstimated(false);
  });

  it('forwards the betas of the client', async () => {
    setup.fixture.provider.script(countTokensWith(12), { path: COUNT_PATH });
    const betas = ['context-1m-2025-08-07'];
    const count = await client.beta.messages.countTokens({ model: CLAUDE_MODEL, messages, betas });
    expect(count).toMatchObject({ input_tokens: 12 });
    expect(countRequests().at(-1)!.headers['anthropic-beta']).toContain('context-1m-2025-08-07');
  });

  it('is estimated without a request for a vendor of the other dialect', async () => {
    const before = setup.fixture.calls().length;
    const { input_tokens: shortCount } = await client.messages.countTokens({
      model: 'gpt-4.1',
      messages,
    });
    const longMessages = [{ role: 'user' as const, content: 'word '.repeat(400) }];
    const { input_tokens: longCount } = await client.messages.countTokens({
      model: 'gpt-4.1',
      messages: longMessages,
    });
    expect(shortCount).toBeGreaterThan(0);
    expect(longCount).toBeGreaterThan(300);
    expect(longCount).toBeLessThan(1_000);
    expect(setup.fixture.calls()).toHaveLength(before);
    await expectEstimated(true);
  });

  it.each([
    ['is down', failMessageWith(529)],
    ["refuses the gateway's credentials", failMessageWith(401)],
    ['answers with an HTML page', failWithHtml()],
  ])('is estimated when the vendor %s', async (_name, script) => {
    setup.fixture.provider.script(script, { path: COUNT_PATH });
    const { input_tokens: count } = await client.messages.countTokens({
      model: CLAUDE_MODEL,
      messages,
    });
    expect(count).toBeGreaterThan(0);
    await expectEstimated(true);
  });

  it('returns the error message of a vendor that refuses the request', async () => {
    setup.fixture.provider.script(failMessageWith(400), { path: COUNT_PATH });
    const count = client.messages.countTokens({ model: CLAUDE_MODEL, messages });
    const error: unknown = await count.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ apiMessage: 'Scripted failure 400.' });
  });
});
