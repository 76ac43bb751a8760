import { unavailable } from '@witan/contracts';
import type { EncryptedTable, SecretCipher, Transaction } from '@witan/service-kit';
import type { WorkspaceProvider } from '../../provider/workspace-models.ts';
import { dialectsOf } from '../check-providers.ts';
import type { StoredProvider, ProviderDraft } from '../ports.ts';
import { WorkspaceProviderEntity } from './settings-entities.ts';
import type { ProviderRow } from './settings-store.ts';

/**
 * Returns a provider with its key. Throws UNAVAILABLE if the key cannot be decrypted, for example
 * because it was encrypted with another secrets key.
 */
export const openProvider = (
  row: ProviderRow,
  { workspaceId, secretCipher }: { workspaceId: string; secretCipher: SecretCipher },
): WorkspaceProvider => {
  const { name, dialect, base_url: baseUrl, version } = row;
  try {
    const apiKey = secretCipher.decrypt(row.sealed_key, contextOf(workspaceId, name));
    return { name, dialects: dialectsOf({ dialect, baseUrl }), baseUrl, apiKey, version };
  } catch (error) {
    throw unavailable(
      `The key of the provider "${name}" cannot be opened with this WITAN_SECRETS_KEY: restore ` +
        "the one that it was sealed with, or give the provider's key again.",
      error,
    );
  }
};

export const toStoredProvider = (row: ProviderRow): StoredProvider => ({
  name: row.name,
  dialect: row.dialect,
  baseUrl: row.base_url,
  keyPreview: row.key_preview,
  version: row.version,
  updatedAt: new Date(row.updated_at),
});

export const writeProviders = async (
  em: Transaction,
  existing: readonly ProviderRow[],
  drafts: readonly ProviderDraft[],
  { workspaceId, secretCipher }: { workspaceId: string; secretCipher: SecretCipher },
): Promise<void> => {
  const encryptedKeys = new Map(existing.map((row) => [row.name, row.sealed_key]));
  const rows = drafts.map(({ apiKey, ...provider }) => ({
    ...provider,
    workspaceId,
    encryptedKey:
      apiKey === undefined
        ? encryptedKeys.get(provider.name)!
        : secretCipher.encrypt(apiKey, contextOf(workspaceId, provider.name)),
  }));
  await em.nativeDelete(WorkspaceProviderEntity, { workspaceId });
  await em.insertMany(WorkspaceProviderEntity, rows);
};

/** Binds the encrypted key to its row: it cannot be decrypted in another one. */
const contextOf = (workspaceId: string, name: string): string =>
  `workspace_provider:${workspaceId}:${name}`;

export const ENCRYPTED_KEYS: EncryptedTable = {
  table: 'workspace_provider',
  key: 'name',
  columns: ['sealed_key'],
  contextOf: contextOf,
};
