import type { Transaction } from '@witan/service-kit';
import { DEFAULT_PRIVACY } from '../../masking/privacy-settings.ts';
import type { PrivacySettings } from '../../masking/privacy-settings.ts';
import type { Target } from '../../provider/provider.ts';
import { NO_SETTINGS } from '../../provider/workspace-models.ts';
import type { ModelSettings } from '../../provider/workspace-models.ts';
import { ModelSettingsEntity } from './settings-entities.ts';
import type { StoredAlias, StoredPrivacy } from './settings-entities.ts';

export type ProviderRow = {
  name: string;
  dialect: 'chat-completions' | 'messages';
  base_url: string;
  sealed_key: string;
  key_preview: string;
  version: string;
  updated_at: string;
};

export type WorkspaceRows = { settings: ModelSettings; providers: readonly ProviderRow[] };

type SettingsRow = {
  aliases: readonly StoredAlias[];
  full_targets: readonly Target[];
  cheap_targets: readonly Target[];
  privacy: StoredPrivacy | null;
  providers: readonly ProviderRow[];
};

/** Reads settings and providers in one statement, which gives a consistent snapshot. */
export const readRows = async (em: Transaction, workspaceId: string): Promise<WorkspaceRows> => {
  const [row] = await em.execute<SettingsRow[]>(READ_SETTINGS, [workspaceId]);
  if (!row) return { settings: NO_SETTINGS, providers: [] };
  const aliases = new Map(row.aliases.map(({ name, targets }) => [name, targets]));
  const privacy: PrivacySettings = { ...DEFAULT_PRIVACY, ...row.privacy };
  const settings = { aliases, full: row.full_targets, cheap: row.cheap_targets, privacy };
  return { settings, providers: row.providers };
};

const READ_SETTINGS = `
  SELECT s.aliases, s.full_targets, s.cheap_targets, s.privacy, (
    SELECT coalesce(json_agg(p ORDER BY p.name COLLATE "C"), '[]')
    FROM workspace_provider AS p WHERE p.workspace_id = s.workspace_id
  ) AS providers
  FROM model_settings AS s WHERE s.workspace_id = ?`;

/**
 * Inserts the workspace's row if absent and locks it for the transaction, so that changes of one
 * workspace are serialized.
 */
export const lockWorkspace = async (em: Transaction, workspaceId: string): Promise<void> => {
  const key = [workspaceId];
  await em.execute(
    'INSERT INTO model_settings (workspace_id) VALUES (?) ON CONFLICT DO NOTHING',
    key,
  );
  await em.execute('SELECT 1 FROM model_settings WHERE workspace_id = ? FOR UPDATE', key);
};

/** Replaces the stored settings; the workspace must be locked. */
export const writeSettings = async (
  em: Transaction,
  workspaceId: string,
  { aliases, full, cheap, privacy }: ModelSettings,
): Promise<void> => {
  await em.nativeUpdate(
    ModelSettingsEntity,
    { workspaceId },
    {
      aliases: [...aliases].map(([name, targets]) => ({ name, targets })),
      fullTargets: full,
      cheapTargets: cheap,
      privacy: toStoredPrivacy(privacy),
      updatedAt: new Date(),
    },
  );
};

/**
 * Returns the settings to store; null for the defaults. Categories equal to the default are not
 * stored, so that they follow the default of later releases, also when a client sends back the
 * settings that it read.
 */
const toStoredPrivacy = ({
  categories,
  terms,
  patterns,
}: PrivacySettings): StoredPrivacy | null => {
  const isDefault = categories.join() === DEFAULT_PRIVACY.categories.join();
  if (isDefault && terms.length === 0 && patterns.length === 0) return null;
  return { terms, patterns, ...(isDefault ? {} : { categories }) };
};
