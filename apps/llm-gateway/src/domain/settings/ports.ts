import type { DialectName } from '@witan/dialects';
import type { ModelSettings, WorkspaceModels } from './workspace-models.ts';

/** A provider as it is kept and shown: of its key only the last characters. */
export type StoredProvider = {
  name: string;
  dialect: DialectName;
  baseUrl: string;
  keyPreview: string;
  version: string;
  updatedAt: Date;
};

/** What a workspace has decided, without its keys; providers by name. */
export type StoredModels = { settings: ModelSettings; providers: readonly StoredProvider[] };

/** A provider to be kept; without a key it keeps the one that is sealed under its name. */
export type ProviderDraft = StoredProvider & { apiKey: string | undefined };

/**
 * A workspace's settings and providers. `decide` runs while the workspace is locked: what it saw is
 * still true when its answer is written, and what it throws leaves everything as it was. All reject
 * with UNAVAILABLE while the database is away.
 */
export type SettingsStore = {
  /** Everything of one moment, with opened keys. UNAVAILABLE when a key cannot be opened. */
  readModels: (workspaceId: string) => Promise<WorkspaceModels>;
  /** Everything of one moment, without keys. */
  readStored: (workspaceId: string) => Promise<StoredModels>;
  replaceSettings: (
    workspaceId: string,
    decide: (stored: StoredModels) => ModelSettings,
  ) => Promise<void>;
  /** Answers what is kept now, by name. */
  replaceProviders: (
    workspaceId: string,
    decide: (stored: StoredModels) => readonly ProviderDraft[],
  ) => Promise<readonly StoredProvider[]>;
};

/**
 * Answers a base URL normalised. Throws INVALID_REQUEST with `param` (code `blocked_address`) for
 * one that must not be called.
 */
export type CheckBaseUrl = (given: { url: string; param: string }) => Promise<string>;
