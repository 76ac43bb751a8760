import { ChatAnthropic } from '@langchain/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROVIDER_KEY } from '../open-fixture.ts';
import { CLIENTS, PAIRINGS } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { sendModelOutput } from './send-model-output.ts';

const CLAUDE_MODEL = 'claude-sonnet-5-5';
/** Request headers in which clients and vendors send credentials. */
const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'cookie', 'proxy-authorization'];
/** Request headers that the gateway must not forward to providers. */
const FORBIDDEN_HEADERS =
  /^(x-stainless|x-forwarded|forwarded|via|origin|referer|anthropic-dangerous|openai-)/;

describe('headers of a provider request', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  it.each(PAIRINGS)(
    'contain the vendor’s key and nothing private of the client, from %s',
    async (_title, pairing) => {
      const { model, dialect } = pairing.vendor;
      setup.script(sendModelOutput(dialect, { text: ['Hi.'] }));
      await setup.clientOf(pairing).ask({ model, turns: [{ user: 'Hello?' }] });
      const { headers } = setup.lastRequest();
      const credentials = CREDENTIAL_HEADERS.flatMap((name) => headers[name] ?? []);
      expect(credentials.map((value) => value.replace('Bearer ', ''))).toEqual([PROVIDER_KEY]);
      expect(JSON.stringify(headers)).not.toContain(setup.fixture.system.apiKey);
      expect(Object.keys(headers).filter((name) => FORBIDDEN_HEADERS.test(name))).toEqual([]);
      expect(headers['content-type']).toBe('application/json');
    },
  );

  it.each(
    CLIENTS.filter(({ dialect }) => dialect === 'messages').map(
      (kind) => [kind.name, kind] as const,
    ),
  )('contain the API version of the client: %s', async (_name, kind) => {
    setup.script(sendModelOutput('messages', { text: ['Hi.'] }));
    await setup.clientOf({ kind }).ask({ model: CLAUDE_MODEL, turns: [{ user: 'Hello?' }] });
    const { headers } = setup.lastRequest();
    const version = kind.name === '@anthropic-ai/sdk' ? '2026-10-21' : '2023-06-01';
    expect(headers['anthropic-version']).toBe(version);
    // Newer API versions use `authorization` instead of `x-api-key`.
    expect('x-api-key' in headers).toBe(version === '2023-06-01');
  });

  it('pass on the betas and the query of a client', async () => {
    const { baseUrl, apiKey } = setup.fixture.system;
    const { fetch } = setup.recorder;
    const betas = ['context-1m-2025-08-07', 'some-beta-2026-01-01'];
    const anthropic = new Anthropic({ baseURL: baseUrl, apiKey, fetch });
    const messages = [{ role: 'user' as const, content: 'Hello?' }];
    setup.script(
      sendModelOutput('messages', { text: ['Hi.'] }),
      sendModelOutput('messages', { text: ['Hi.'] }),
    );
    await anthropic.beta.messages.create({ model: CLAUDE_MODEL, max_tokens: 9, messages, betas });
    expect(setup.lastRequest().headers['anthropic-beta']).toBe(betas.join(','));
    expect(setup.lastRequest().path).toBe('/v1/messages');
    const langchain = new ChatAnthropic({
      model: CLAUDE_MODEL,
      apiKey,
      anthropicApiUrl: baseUrl,
      clientOptions: { fetch },
      betas,
    });
    await langchain.invoke('Hello?');
    expect(setup.lastRequest().headers['anthropic-beta']).toBe(betas.join(','));
    expect(setup.lastRequest().path).toBe('/v1/messages?beta=true');
  });
});
