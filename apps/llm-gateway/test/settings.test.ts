import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import type { TestDatabase } from '@witan/testing';
import {
  optionsFor,
  newSecretsKey,
  openSettings,
  openSettingsDatabase,
  OPERATOR_PROVIDERS,
  queryAs,
} from './open-settings.ts';
import type { TestSettings } from './open-settings.ts';

const KEY = 'sk-of-a-provider-77f2';
const BASE_URL = 'https://mine.example/v1';
const TTL_MS = 3_000;

const target = (provider: string, model = 'm', weight = 0) => ({ provider, model, weight });
const alias = (name: string, ...targets: ReturnType<typeof target>[]) => ({
  settings: { aliases: { [name]: { targets } } },
});
const provider = (name: string) => ({ name, apiKey: KEY, baseUrl: BASE_URL });

describe("a workspace's model settings", () => {
  const secretsKey = newSecretsKey();
  let database: TestDatabase;
  let settings: TestSettings;
  let replica: TestSettings;
  let now = Date.now();
  beforeAll(async () => {
    database = await openSettingsDatabase();
    const clock = (): number => now;
    settings = await openSettings({ database, secretsKey, clock });
    replica = await openSettings({ database, secretsKey, clock });
  });
  afterAll(async () => {
    await settings[Symbol.asyncDispose]();
    await replica[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const aliasesOf = async (workspaceId: string) =>
    (await settings.client.getModelSettings({}, optionsFor(workspaceId))).settings!.aliases;
  const providersOf = async (workspaceId: string) =>
    (await settings.client.listProviders({}, optionsFor(workspaceId))).providers;

  it('are empty at first', async () => {
    const workspaceId = newId('ws');
    const { settings: found } = await settings.client.getModelSettings({}, optionsFor(workspaceId));
    expect([found?.aliases, found?.full?.targets, found?.cheap?.targets]).toEqual([{}, [], []]);
    const list = await settings.client.listProviders({}, optionsFor(workspaceId));
    expect([list.providers, list.operatorProviders]).toEqual([[], OPERATOR_PROVIDERS]);
    expect((await settings.models(workspaceId)).providers).toEqual(new Map());
  });

  it('are returned to callers and used by completions', async () => {
    const workspaceId = newId('ws');
    await settings.client.putProviders({ providers: [provider('mine')] }, optionsFor(workspaceId));
    const requested = {
      aliases: { fast: { targets: [target('mine', 'x', 3), target('openai', 'gpt-5', 1)] } },
      full: { targets: [target('mine', 'large')] },
      cheap: { targets: [target('offline', 'small')] },
    };
    await settings.client.putModelSettings({ settings: requested }, optionsFor(workspaceId));
    const { settings: found } = await settings.client.getModelSettings({}, optionsFor(workspaceId));
    expect(found).toMatchObject(requested);
    const models = await settings.models(workspaceId);
    expect(models.aliases).toEqual(new Map([['fast', requested.aliases.fast.targets]]));
    expect([models.full, models.cheap]).toEqual([requested.full.targets, requested.cheap.targets]);
    expect(models.providers.get('mine')).toEqual({
      name: 'mine',
      dialects: ['chat-completions'],
      baseUrl: BASE_URL,
      apiKey: KEY,
      version: expect.stringMatching(/^ver_/),
    });
  });

  it('include concurrent changes of different members', async () => {
    const workspaceId = newId('ws');
    const full = { targets: [target('openai', 'large')] };
    const changes = [
      { ...alias('a', target('openai')), members: ['aliases'] },
      { settings: { full }, members: ['full', 'cheap'] },
    ];
    const send = (change: (typeof changes)[number]) =>
      settings.client.putModelSettings(change, optionsFor(workspaceId));
    await Promise.all(changes.map(send));
    const { settings: found } = await settings.client.getModelSettings({}, optionsFor(workspaceId));
    expect([Object.keys(found!.aliases), found!.full]).toMatchObject([['a'], full]);
  });

  it('may have an alias named like an inherited property', async () => {
    const workspaceId = newId('ws');
    const aliases = JSON.parse('{"__proto__":{"targets":[{"provider":"openai","model":"m"}]}}');
    await settings.client.putModelSettings({ settings: { aliases } }, optionsFor(workspaceId));
    expect(Object.keys(await aliasesOf(workspaceId))).toEqual(['__proto__']);
    expect((await settings.models(workspaceId)).aliases.get('__proto__')).toHaveLength(1);
  });

  it('take effect at once in the process that changed them, and within 3 s in others', async () => {
    const workspaceId = newId('ws');
    const sizes = async (): Promise<number[]> => {
      const both = [await settings.models(workspaceId), await replica.models(workspaceId)];
      return both.map(({ aliases }) => aliases.size);
    };
    expect(await sizes()).toEqual([0, 0]);
    await settings.client.putModelSettings(alias('a', target('openai')), optionsFor(workspaceId));
    expect(await sizes()).toEqual([1, 0]);
    now += TTL_MS;
    expect(await sizes()).toEqual([1, 1]);
    expect(settings.models(workspaceId)).not.toBeInstanceOf(Promise);
  });

  it('are visible only to their workspace', async () => {
    const [ownWorkspaceId, otherWorkspaceId] = [newId('ws'), newId('ws')];
    await settings.client.putProviders(
      { providers: [provider('mine')] },
      optionsFor(ownWorkspaceId),
    );
    await settings.client.putModelSettings(alias('a', target('mine')), optionsFor(ownWorkspaceId));
    expect([await aliasesOf(otherWorkspaceId), await providersOf(otherWorkspaceId)]).toEqual([
      {},
      [],
    ]);
    await expect(
      settings.client.putModelSettings(alias('a', target('mine')), optionsFor(otherWorkspaceId)),
    ).rejects.toMatchObject({ fields: { param: 'aliases.a.targets[0].provider' } });
    await settings.client.putProviders({ providers: [] }, optionsFor(otherWorkspaceId));
    expect(await providersOf(ownWorkspaceId)).toHaveLength(1);
    for (const table of ['model_settings', 'workspace_provider']) {
      const count = `SELECT count(*)::int AS n FROM ${table}`;
      const seen = [otherWorkspaceId, ''].map((scope) => queryAs(database, { scope, sql: count }));
      const [own, none] = (await Promise.all(seen)).map(([row]) => row?.n);
      expect([table, own, none]).toEqual([table, table === 'model_settings' ? 1 : 0, 0]);
    }
  });

  it('stay when a change is refused', async () => {
    const workspaceId = newId('ws');
    await settings.client.putModelSettings(alias('a', target('openai')), optionsFor(workspaceId));
    const rejectedChange = settings.client.putModelSettings(
      alias('b', target('unknown')),
      optionsFor(workspaceId),
    );
    await expect(rejectedChange).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    expect(Object.keys(await aliasesOf(workspaceId))).toEqual(['a']);
  });

  it('are replaced as a whole by concurrent changes', async () => {
    const workspaceId = newId('ws');
    const sets = Array.from({ length: 8 }, (_, set) => ['a', 'b', 'c'].map((n) => `${n}${set}`));
    await Promise.all(
      sets.map((names, index) => {
        const { client } = index % 2 ? settings : replica;
        const providers = names.map((name) => provider(name));
        return client.putProviders({ providers }, optionsFor(workspaceId));
      }),
    );
    expect(sets).toContainEqual((await providersOf(workspaceId)).map(({ name }) => name));
  });

  it('never name a provider that a concurrent change removes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const workspaceId = newId('ws');
      await settings.client.putProviders(
        { providers: [provider('mine')] },
        optionsFor(workspaceId),
      );
      const outcomes = await Promise.allSettled([
        settings.client.putModelSettings(alias('a', target('mine')), optionsFor(workspaceId)),
        replica.client.putProviders({ providers: [] }, optionsFor(workspaceId)),
      ]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    }
  });
});
