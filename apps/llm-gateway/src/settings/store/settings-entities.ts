import { defineEntity, p } from '@mikro-orm/core';
import type { PrivacySettings } from '../../masking/privacy-settings.ts';
import type { Target } from '../../provider/provider.ts';

/**
 * Aliases are stored as a list, because their names are arbitrary text and their order is
 * preserved.
 */
export type StoredAlias = { name: string; targets: readonly Target[] };

/** If `categories` is absent, the default of the running release applies. */
export type StoredPrivacy = Omit<PrivacySettings, 'categories'> & {
  categories?: PrivacySettings['categories'];
};

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

export const WorkspaceProviderEntity = defineEntity({
  name: 'WorkspaceProvider',
  tableName: 'workspace_provider',
  properties: {
    workspaceId: p.string().primary(),
    name: p.string().primary(),
    dialect: p.enum(() => ['chat-completions', 'messages', 'responses'] as const),
    baseUrl: p.text(),
    encryptedKey: p.text().fieldName('sealed_key'),
    keyPreview: p.string(),
    version: p.string(),
    updatedAt: p.datetime(),
  },
});
