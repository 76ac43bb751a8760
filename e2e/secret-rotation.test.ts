import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import { PING } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

// API keys of the provider, in the order in which they replace each other. docs/threat-model.md
// lists the tests of other secrets.

const KEYS = ['sk-first-9b1', 'sk-second-4f7', 'sk-third-c02'] as const;
const PROVIDERS = '/v1/workspace/providers';

describe("the key of a workspace's own provider", () => {
  let api: DocumentedApi;
  let provider: ScriptedProvider;
  let client: HttpClient;

  beforeAll(async () => {
    provider = await openScriptedProvider();
    const env = { WITAN_ALLOW_PRIVATE_TARGETS: `127.0.0.1:${provider.port}` };
    api = await openDocumentedApi({ transport: 'in-process', env });
    client = await api.createClient();
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  it('changes between two calls: no call fails, none uses the old key', async () => {
    const usedCredentials: unknown[] = [];
    for (const apiKey of KEYS) {
      const ownProvider = { name: 'mine', baseUrl: provider.baseUrl, apiKey };
      const put = { method: 'PUT', body: { providers: [ownProvider] } };
      const changed = await api.call(client, `PUT ${PROVIDERS}`, {}, put);
      expect([changed.status, changed.text.includes(apiKey)]).toEqual([200, false]);
      const targets = [{ provider: 'mine', model: 'm' }];
      const body = { aliases: { fast: { targets } } };
      await api.call(client, 'PUT /v1/workspace', {}, { method: 'PUT', body });
      expect((await client.complete({ ...PING, model: 'fast' })).status).toBe(200);
      usedCredentials.push(
        provider.requests.findLast(({ method }) => method === 'POST')!.headers.authorization,
      );
    }
    expect(usedCredentials).toEqual(KEYS.map((key) => `Bearer ${key}`));
  });
});
