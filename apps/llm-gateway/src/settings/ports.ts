import type { DialectName } from '@witan/dialects';
import type { ModelSettings, WorkspaceModels } from '../provider/workspace-models.ts';

export type StoredProvider = {
  name: string;
  dialect: DialectName;
  baseUrl: string;
  keyPreview: string;
  version: string;
  updatedAt: Date;
};

export type StoredModels = { settings: ModelSettings; providers: readonly StoredProvider[] };

/** A provider to store; without an API key, the encrypted key already stored for it is retained. */
export type ProviderDraft = StoredProvider & { apiKey: string | undefined };

/**
 * Stores a workspace's settings and providers. `decide` runs while the workspace is locked, so its
 * input is current when its result is written; if it throws, nothing changes. All methods reject
 * with UNAVAILABLE while the database is down.
 */
export type SettingsStore = {
  /**
   * Reads a consistent snapshot with decrypted keys. Rejects with UNAVAILABLE if a key cannot be
   * decrypted.
   */
  readModels: (workspaceId: string) => Promise<WorkspaceModels>;
  readStored: (workspaceId: string) => Promise<StoredModels>;
  replaceSettings: (
    workspaceId: string,
    decide: (stored: StoredModels) => ModelSettings,
  ) => Promise<void>;
  replaceProviders: (
    workspaceId: string,
    decide: (stored: StoredModels) => readonly ProviderDraft[],
  ) => Promise<readonly StoredProvider[]>;
};

/**
 * Resolves with the normalized base URL. Rejects with INVALID_REQUEST with `param` (code
 * `blocked_address`) for a forbidden address.
 */
export type CheckBaseUrl = (given: { url: string; param: string }) => Promise<string>;
