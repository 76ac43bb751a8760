import { ChatAnthropic } from '@langchain/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROVIDER_KEY } from '../open-fixture.ts';
import { CLIENTS, LANES } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { sendSpeech } from './send-speech.ts';

const CLAUDE = 'claude-sonnet-5-5';
/** Request headers in which clients and vendors send credentials. */
const CREDENTIALS = ['authorization', 'x-api-key', 'cookie', 'proxy-authorization'];
/** Request headers that the gateway must not forward to providers. */
const PRIVATE =
  /^(x-stainless|x-forwarded|forwarded|via|origin|referer|anthropic-dangerous|openai-)/;

describe('headers of a provider request', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it.each(LANES)(
    'contain the vendor’s key and nothing private of the client, from %s',
    async (_t, lane) => {
      const { model, dialect } = lane.vendor;
      bench.script(sendSpeech(dialect, { text: ['Hi.'] }));
      await bench.clientOf(lane).ask({ model, turns: [{ user: 'Hello?' }] });
      const { headers } = bench.lastRequest();
      const given = CREDENTIALS.flatMap((name) => headers[name] ?? []);
      expect(given.map((value) => value.replace('Bearer ', ''))).toEqual([PROVIDER_KEY]);
      expect(JSON.stringify(headers)).not.toContain(bench.fixture.system.apiKey);
      expect(Object.keys(headers).filter((name) => PRIVATE.test(name))).toEqual([]);
      expect(headers['content-type']).toBe('application/json');
    },
  );

  it.each(
    CLIENTS.filter(({ dialect }) => dialect === 'messages').map(
      (kind) => [kind.name, kind] as const,
    ),
  )('contain the API version of the client: %s', async (_name, kind) => {
    bench.script(sendSpeech('messages', { text: ['Hi.'] }));
    await bench.clientOf({ kind }).ask({ model: CLAUDE, turns: [{ user: 'Hello?' }] });
    const { headers } = bench.lastRequest();
    const version = kind.name === '@anthropic-ai/sdk' ? '2026-10-21' : '2023-06-01';
    expect(headers['anthropic-version']).toBe(version);
    // Newer API versions use `authorization` instead of `x-api-key`.
    expect('x-api-key' in headers).toBe(version === '2023-06-01');
  });

  it('pass on the betas and the query of a client', async () => {
    const { baseUrl, apiKey } = bench.fixture.system;
    const { fetch } = bench.wire;
    const betas = ['context-1m-2025-08-07', 'some-beta-2026-01-01'];
    const anthropic = new Anthropic({ baseURL: baseUrl, apiKey, fetch });
    const messages = [{ role: 'user' as const, content: 'Hello?' }];
    bench.script(
      sendSpeech('messages', { text: ['Hi.'] }),
      sendSpeech('messages', { text: ['Hi.'] }),
    );
    await anthropic.beta.messages.create({ model: CLAUDE, max_tokens: 9, messages, betas });
    expect(bench.lastRequest().headers['anthropic-beta']).toBe(betas.join(','));
    expect(bench.lastRequest().path).toBe('/v1/messages');
    const langchain = new ChatAnthropic({
      model: CLAUDE,
      apiKey,
      anthropicApiUrl: baseUrl,
      clientOptions: { fetch },
      betas,
    });
    await langchain.invoke('Hello?');
    expect(bench.lastRequest().headers['anthropic-beta']).toBe(betas.join(','));
    expect(bench.lastRequest().path).toBe('/v1/messages?beta=true');
  });
});
