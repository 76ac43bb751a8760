import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import type { TestDatabase } from '@witan/testing';
import { DEFAULT_PRIVACY } from '../src/masking/privacy-settings.ts';
import {
  optionsFor,
  newSecretsKey,
  openSettings,
  openSettingsDatabase,
  queryAs,
} from './open-settings.ts';
import type { TestSettings } from './open-settings.ts';

const TERMS = [{ text: 'Anna Canary', category: 'PERSON' }];
const PATTERNS = [{ pattern: '\\bACME-\\d{4,8}\\b', category: 'SECRET' }];
const PRIVACY = {
  categories: { names: ['PERSON', 'ORG', 'SECRET'] },
  terms: TERMS,
  patterns: PATTERNS,
};
const DEFAULTS = {
  categories: { names: [...DEFAULT_PRIVACY.categories] },
  terms: [],
  patterns: [],
};
const ROUTED_TARGETS = { targets: [{ provider: 'openai', model: 'm', weight: 0 }] };

describe("a workspace's privacy settings", () => {
  let database: TestDatabase;
  let settings: TestSettings;
  beforeAll(async () => {
    database = await openSettingsDatabase();
    settings = await openSettings({ database, secretsKey: newSecretsKey() });
  });
  afterAll(async () => {
    await settings[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  type Change = Parameters<TestSettings['client']['putModelSettings']>[0];
  const put = (workspaceId: string, change: Change) =>
    settings.client.putModelSettings(change, optionsFor(workspaceId));
  const putPrivacy = (workspaceId: string, privacy: NonNullable<Change['settings']>['privacy']) =>
    put(workspaceId, { settings: { privacy }, members: ['privacy'] });
  const privacyOf = async (workspaceId: string) =>
    (await settings.client.getModelSettings({}, optionsFor(workspaceId))).settings!.privacy;
  const storedOf = async (workspaceId: string): Promise<unknown> => {
    const sql = 'SELECT privacy FROM model_settings';
    const [row] = await queryAs(database, { scope: workspaceId, sql });
    return row?.privacy;
  };

  it('are the default at first', async () => {
    const workspaceId = newId('ws');
    expect(await privacyOf(workspaceId)).toMatchObject(DEFAULTS);
    expect((await settings.models(workspaceId)).privacy).toEqual(DEFAULT_PRIVACY);
    await put(workspaceId, { settings: { full: ROUTED_TARGETS }, members: ['full'] });
    expect(await privacyOf(workspaceId)).toMatchObject(DEFAULTS);
    expect((await settings.models(workspaceId)).privacy).toEqual(DEFAULT_PRIVACY);
  });

  it('are returned to callers and used by completions', async () => {
    const workspaceId = newId('ws');
    const names = PRIVACY.categories.names.toReversed();
    const answer = await putPrivacy(workspaceId, { ...PRIVACY, categories: { names } });
    expect(answer.settings!.privacy).toMatchObject(PRIVACY);
    expect(await privacyOf(workspaceId)).toMatchObject(PRIVACY);
    expect((await settings.models(workspaceId)).privacy).toEqual({
      categories: PRIVACY.categories.names,
      terms: TERMS,
      patterns: PATTERNS,
    });
  });

  it('are replaced as a whole, and omitted members become the default', async () => {
    const workspaceId = newId('ws');
    await putPrivacy(workspaceId, PRIVACY);
    await putPrivacy(workspaceId, { patterns: PATTERNS });
    expect(await privacyOf(workspaceId)).toMatchObject({ ...DEFAULTS, patterns: PATTERNS });
    await putPrivacy(workspaceId, undefined);
    expect(await privacyOf(workspaceId)).toMatchObject(DEFAULTS);
  });

  it('may have no categories and keep their terms', async () => {
    const workspaceId = newId('ws');
    const disabledPrivacy = { ...PRIVACY, categories: { names: [] } };
    await putPrivacy(workspaceId, disabledPrivacy);
    expect(await privacyOf(workspaceId)).toMatchObject(disabledPrivacy);
    expect((await settings.models(workspaceId)).privacy).toMatchObject({ categories: [] });
  });

  it('are independent of the other members', async () => {
    const workspaceId = newId('ws');
    await putPrivacy(workspaceId, PRIVACY);
    await put(workspaceId, { settings: { full: ROUTED_TARGETS }, members: ['full', 'cheap'] });
    expect(await privacyOf(workspaceId)).toMatchObject(PRIVACY);
    const { settings: both } = await putPrivacy(workspaceId, DEFAULTS);
    expect([both!.full, both!.privacy]).toMatchObject([ROUTED_TARGETS, DEFAULTS]);
  });

  it('stay when a caller of an older release replaces the other members', async () => {
    const workspaceId = newId('ws');
    await putPrivacy(workspaceId, PRIVACY);
    await put(workspaceId, { settings: { full: ROUTED_TARGETS } });
    expect(await privacyOf(workspaceId)).toMatchObject(PRIVACY);
    await put(workspaceId, { settings: { full: ROUTED_TARGETS, privacy: {} } });
    expect(await privacyOf(workspaceId)).toMatchObject(DEFAULTS);
  });

  it('stay when the previous release changes the row', async () => {
    const workspaceId = newId('ws');
    await putPrivacy(workspaceId, PRIVACY);
    const sql =
      `UPDATE model_settings SET aliases = '[{"name":"a","targets":[]}]', full_targets = '[]', ` +
      `cheap_targets = '[]', updated_at = now() RETURNING workspace_id`;
    expect(await queryAs(database, { scope: workspaceId, sql })).toHaveLength(1);
    const { settings: found } = await settings.client.getModelSettings({}, optionsFor(workspaceId));
    expect(Object.keys(found!.aliases)).toEqual(['a']);
    expect(found!.privacy).toMatchObject(PRIVACY);
  });

  it('are stored as the default when equal to it, and so follow later defaults', async () => {
    const workspaceId = newId('ws');
    await putPrivacy(workspaceId, PRIVACY);
    const { categories, ...words } = PRIVACY;
    expect(await storedOf(workspaceId)).toEqual({ categories: categories.names, ...words });
    await putPrivacy(workspaceId, { ...DEFAULTS, ...words });
    expect(await storedOf(workspaceId)).toEqual(words);
    await putPrivacy(workspaceId, await privacyOf(newId('ws')));
    expect(await storedOf(workspaceId)).toBeNull();
  });

  it('stay when a change is refused', async () => {
    const workspaceId = newId('ws');
    await putPrivacy(workspaceId, PRIVACY);
    const terms = [...TERMS, { text: 'Bea ', category: 'PERSON' }];
    await expect(putPrivacy(workspaceId, { ...PRIVACY, terms })).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      fields: { param: 'privacy.terms[1].text' },
    });
    expect(await privacyOf(workspaceId)).toMatchObject(PRIVACY);
  });

  it('are visible only to their workspace', async () => {
    const [ownWorkspaceId, otherWorkspaceId] = [newId('ws'), newId('ws')];
    await putPrivacy(ownWorkspaceId, PRIVACY);
    await putPrivacy(otherWorkspaceId, { categories: { names: [] } });
    expect([await privacyOf(ownWorkspaceId), await privacyOf(otherWorkspaceId)]).toMatchObject([
      PRIVACY,
      { categories: { names: [] }, terms: [], patterns: [] },
    ]);
  });
});
