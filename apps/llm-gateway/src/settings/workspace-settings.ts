import { checkPrivacy } from '../masking/privacy-settings.ts';
import type { PrivacyInput } from '../masking/privacy-settings.ts';
import type { ModelSettings, WorkspaceModels } from '../provider/workspace-models.ts';
import { checkProviders, OFFICIAL_BASE_URLS } from './check-providers.ts';
import type { CheckedProvider, ProviderInput } from './check-providers.ts';
import { checkSettings } from './check-settings.ts';
import type { CheckBaseUrl, StoredProvider, SettingsStore } from './ports.ts';
import { replaceProviders } from './replace-providers.ts';
import { createSettingsCache } from './settings-cache.ts';

export type WorkspaceSettings = {
  /**
   * Returns cached models, without a promise while they are fresh. Changes by this process are
   * visible at once, others within 3 s if the database is reachable. Rejects with UNAVAILABLE.
   */
  models: (workspaceId: string) => WorkspaceModels | Promise<WorkspaceModels>;
  getSettings: (workspaceId: string) => Promise<ModelSettings>;
  /**
   * Replaces the given members and resolves with all settings. Rejects with INVALID_REQUEST, whose
   * `param` is the path, for invalid settings.
   */
  putSettings: (workspaceId: string, change: SettingsChange) => Promise<ModelSettings>;
  listProviders: (workspaceId: string) => Promise<ProviderList>;
  /**
   * Replaces the whole list. Rejects with INVALID_REQUEST, whose `param` is the path, for an
   * invalid list.
   */
  putProviders: (workspaceId: string, inputs: readonly ProviderInput[]) => Promise<ProviderList>;
};

export type SettingsChange = Partial<
  Omit<ModelSettings, 'privacy'> & {
    /** Replaces all privacy settings. */
    privacy: PrivacyInput;
  }
>;

export type ProviderList = {
  providers: readonly StoredProvider[];
  operatorProviders: readonly string[];
};

export type WorkspaceSettingsDeps = {
  store: SettingsStore;
  checkBaseUrl: CheckBaseUrl;
  operatorProviders: readonly string[];
  newVersion: () => string;
  /** Returns monotonic milliseconds, so that a clock that is set prolongs no cached entry. */
  clock: () => number;
  now: () => Date;
  onFailure: (workspaceId: string, error: unknown) => void;
};

/**
 * Milliseconds for which models are cached; a change by another process takes effect after at most
 * that time, if the database is reachable.
 */
const TTL_MS = 3_000;
const CACHED_MAX = 2_000;

export const createWorkspaceSettings = (deps: WorkspaceSettingsDeps): WorkspaceSettings => {
  const { store, clock, operatorProviders } = deps;
  const cache = createSettingsCache(store.readModels, {
    ttlMs: TTL_MS,
    clock,
    maxEntries: CACHED_MAX,
    onFailure: deps.onFailure,
  });
  /** Invalidates the cache even after a failed change, because it may have been written. */
  const applyChange = <T>(workspaceId: string, running: Promise<T>): Promise<T> =>
    running.finally(() => cache.invalidate(workspaceId));
  return {
    models: cache.get,
    getSettings: async (workspaceId) => (await store.readStored(workspaceId)).settings,
    putSettings: async (workspaceId, { privacy: privacyInput, ...lists }) => {
      // Patterns are compiled before the lock is taken, because that is slow.
      const requested = privacyInput ? { ...lists, privacy: checkPrivacy(privacyInput) } : lists;
      let settings: ModelSettings | undefined;
      const replacing = store.replaceSettings(workspaceId, (stored) => {
        const own = stored.providers.map(({ name }) => name);
        settings = { ...stored.settings, ...requested };
        checkSettings(settings, new Set([...operatorProviders, ...own]));
        return settings;
      });
      await applyChange(workspaceId, replacing);
      return settings!;
    },
    listProviders: async (workspaceId) => {
      const { providers } = await store.readStored(workspaceId);
      return { providers, operatorProviders };
    },
    putProviders: async (workspaceId, inputs) => {
      const requested = await checkBaseUrls(checkProviders(inputs), deps.checkBaseUrl);
      const replacing = store.replaceProviders(workspaceId, (stored) => {
        const { newVersion, now } = deps;
        const changed = { operatorProviders, newVersion, now: now() };
        return replaceProviders(stored, requested, changed);
      });
      const providers = await applyChange(workspaceId, replacing);
      return { providers, operatorProviders };
    },
  };
};

/**
 * Checks and normalizes the base URLs. Host names are resolved in parallel; the vendors' official
 * URLs are not checked.
 */
const checkBaseUrls = (
  providers: readonly CheckedProvider[],
  checkBaseUrl: CheckBaseUrl,
): Promise<CheckedProvider[]> =>
  Promise.all(
    providers.map(async (provider, index) => {
      if (provider.baseUrl === OFFICIAL_BASE_URLS[provider.dialect]) return provider;
      const baseUrlContext = { url: provider.baseUrl, param: `providers[${index}].baseUrl` };
      return { ...provider, baseUrl: await checkBaseUrl(baseUrlContext) };
    }),
  );
