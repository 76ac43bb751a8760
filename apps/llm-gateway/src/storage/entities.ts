import { defineEntity, p } from '@mikro-orm/core';
import type { PrivacySettings } from '../domain/privacy/privacy-settings.ts';
import type { Target } from '../domain/route/target.ts';

/** Aliases as a list: names are anybody's words, and a list keeps their order. */
export type StoredAlias = { name: string; targets: readonly Target[] };

/** Absent: the default list, whatever the running release has for one. */
export type StoredPrivacy = Omit<PrivacySettings, 'categories'> & {
  categories?: PrivacySettings['categories'];
};

/** What a workspace has decided about its models; its row is also what changes wait for. */
export const ModelSettingsEntity = defineEntity({
  name: 'ModelSettings',
  tableName: 'model_settings',
  properties: {
    workspaceId: p.string().primary(),
    aliases: p.json<readonly StoredAlias[]>(),
    fullTargets: p.json<readonly Target[]>(),
    cheapTargets: p.json<readonly Target[]>(),
    privacy: p.json<StoredPrivacy>().nullable(),
    updatedAt: p.datetime(),
  },
});

/** A model provider of a workspace; its key is sealed to this row. */
export const WorkspaceProviderEntity = defineEntity({
  name: 'WorkspaceProvider',
  tableName: 'workspace_provider',
  properties: {
    workspaceId: p.string().primary(),
    name: p.string().primary(),
    dialect: p.enum(() => ['chat-completions', 'messages'] as const),
    baseUrl: p.text(),
    sealedKey: p.text(),
    keyPreview: p.string(),
    version: p.string(),
    updatedAt: p.datetime(),
  },
});
