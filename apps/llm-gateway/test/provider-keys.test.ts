import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import {
  optionsFor,
  newSecretsKey,
  openSettings,
  openSettingsDatabase,
  queryAs,
} from './open-settings.ts';
import type { TestSettings } from './open-settings.ts';

const KEY = 'sk-canary-of-a-provider-key-77f2';
const BASE_URL = 'https://mine.example/v1';

const provider = (name: string, apiKey = KEY, baseUrl = BASE_URL) => ({ name, apiKey, baseUrl });

describe("the key of a workspace's provider", () => {
  const secretsKey = newSecretsKey();
  let database: TestDatabase;
  let settings: TestSettings;
  beforeAll(async () => {
    database = await openSettingsDatabase();
    settings = await openSettings({ database, secretsKey });
  });
  afterAll(async () => {
    await settings[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const put = (workspaceId: string, ...providers: ReturnType<typeof provider>[]) =>
    settings.client.putProviders({ providers }, optionsFor(workspaceId));
  const keyOf = async (workspaceId: string): Promise<string | undefined> =>
    (await settings.models(workspaceId)).providers.get('mine')?.apiKey;

  it('is never returned', async () => {
    const workspaceId = newId('ws');
    const answer = await put(workspaceId, provider('mine'));
    expect(answer.providers).toMatchObject([{ name: 'mine', keyPreview: '…77f2' }]);
    const listed = await settings.client.listProviders({}, optionsFor(workspaceId));
    const text = JSON.stringify([answer, listed], (_name, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
    expect(text).not.toContain(KEY);
  });

  it('is stored encrypted', async () => {
    await put(newId('ws'), provider('mine'));
    const sql = 'SELECT row_to_json(p)::text AS row FROM workspace_provider AS p';
    const rows = await queryAs(database, { scope: '*', sql });
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).toMatch(/"sealed_key":"v1\./);
    expect(JSON.stringify(rows)).not.toContain(KEY);
  });

  it('stays when the provider is replaced without a key', async () => {
    const workspaceId = newId('ws');
    const before = await put(workspaceId, provider('mine'));
    const version = (await settings.models(workspaceId)).providers.get('mine')!.version;
    const after = await put(workspaceId, provider('mine', ''), provider('other'));
    expect(after.providers[0]).toEqual(before.providers[0]);
    expect((await settings.models(workspaceId)).providers.get('mine')).toMatchObject({
      apiKey: KEY,
      version,
    });
  });

  it('must be sent again when the base URL changes', async () => {
    const workspaceId = newId('ws');
    await put(workspaceId, provider('mine'));
    const urlChange = put(workspaceId, provider('mine', '', 'https://evil.example/v1'));
    await expect(urlChange).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      fields: { param: 'providers[0].apiKey' },
    });
    await put(workspaceId, provider('mine', 'another-key', 'https://evil.example/v1'));
    expect(await keyOf(workspaceId)).toBe('another-key');
  });

  it('is deleted with its provider', async () => {
    const workspaceId = newId('ws');
    await put(workspaceId, provider('mine'));
    await put(workspaceId);
    await expect(put(workspaceId, provider('mine', ''))).rejects.toMatchObject({
      fields: { param: 'providers[0].apiKey' },
    });
  });

  it('is bound to its row: copied to another workspace it cannot be decrypted', async () => {
    const [ownWorkspaceId, otherWorkspaceId] = [newId('ws'), newId('ws')];
    await put(ownWorkspaceId, provider('mine'));
    await put(otherWorkspaceId, provider('mine', 'their-own-key'));
    const sql = `UPDATE workspace_provider SET sealed_key = (
        SELECT sealed_key FROM workspace_provider WHERE workspace_id = '${ownWorkspaceId}'
      ) WHERE workspace_id = '${otherWorkspaceId}'`;
    await queryAs(database, { scope: '*', sql });
    await expect(keyOf(otherWorkspaceId)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('cannot be decrypted with another secrets key, and the error names the variable', async () => {
    const workspaceId = newId('ws');
    await put(workspaceId, provider('mine'));
    await using other = await openSettings({ database, secretsKey: newSecretsKey() });
    await expect(other.models(workspaceId)).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
      message: expect.stringContaining('WITAN_SECRETS_KEY'),
    });
    expect(other.failures).toHaveLength(1);
    const { providers } = await other.client.listProviders({}, optionsFor(workspaceId));
    expect(providers).toHaveLength(1);
    await other.client.putProviders(
      { providers: [provider('mine', 'new-key')] },
      optionsFor(workspaceId),
    );
    expect((await other.models(workspaceId)).providers.get('mine')?.apiKey).toBe('new-key');
  });

  it('is stored with the normalized base URL', async () => {
    const checked: object[] = [];
    await using settingsWithUrlCheck = await openSettings({
      database,
      secretsKey,
      checkBaseUrl: async (given) => {
        checked.push(given);
        return given.url.toLowerCase();
      },
    });
    const workspaceId = newId('ws');
    const providers = [
      { name: 'openai', apiKey: KEY },
      provider('mine', KEY, 'https://MINE.example/v1'),
    ];
    const answer = await settingsWithUrlCheck.client.putProviders(
      { providers },
      optionsFor(workspaceId),
    );
    expect(answer.providers.map(({ baseUrl }) => baseUrl)).toEqual([
      BASE_URL,
      'https://api.openai.com/v1',
    ]);
    expect(checked).toEqual([{ url: 'https://MINE.example/v1', param: 'providers[1].baseUrl' }]);
  });

  it('is encrypted again under the first of two secrets keys', async () => {
    const workspaceId = newId('ws');
    await put(workspaceId, provider('mine'));
    const newerKey = newSecretsKey();
    await using settingsWithBothKeys = await openSettings({
      database,
      secretsKey: `${newerKey},${secretsKey}`,
    });
    expect((await settingsWithBothKeys.models(workspaceId)).providers.get('mine')?.apiKey).toBe(
      KEY,
    );
    await eventually(async () => {
      await using settingsWithNewKey = await openSettings({ database, secretsKey: newerKey });
      const read = async () =>
        (await settingsWithNewKey.models(workspaceId)).providers.get('mine')?.apiKey;
      return (await read().catch(() => '')) === KEY;
    });
  });
});
