import { checkPrivacy } from '../privacy/check-privacy.ts';
import type { PrivacyInput } from '../privacy/check-privacy.ts';
import { checkProviders, OFFICIAL_BASE_URLS } from './check-providers.ts';
import type { CheckedProvider, ProviderInput } from './check-providers.ts';
import { checkSettings } from './check-settings.ts';
import type { CheckBaseUrl, StoredProvider, SettingsStore } from './ports.ts';
import { replaceProviders } from './replace-providers.ts';
import { createSettingsCache } from './settings-cache.ts';
import type { ModelSettings, WorkspaceModels } from './workspace-models.ts';

/** A workspace's own models: what its calls are routed by, and how that is changed. */
export type WorkspaceSettings = {
  /**
   * For every completion: from memory, without a promise while that is fresh. Changes of this
   * process are seen at once, others within 3 s. Rejects with UNAVAILABLE.
   */
  models: (workspaceId: string) => WorkspaceModels | Promise<WorkspaceModels>;
  getSettings: (workspaceId: string) => Promise<ModelSettings>;
  /** Replaces members, each whole; answers all. Rejects with INVALID_REQUEST naming the place. */
  putSettings: (workspaceId: string, change: SettingsChange) => Promise<ModelSettings>;
  listProviders: (workspaceId: string) => Promise<ProviderList>;
  /** Replaces the whole list. Rejects with INVALID_REQUEST naming the place. */
  putProviders: (workspaceId: string, inputs: readonly ProviderInput[]) => Promise<ProviderList>;
};

/** Members to replace; those that are absent stay as they are. */
export type SettingsChange = Partial<
  Omit<ModelSettings, 'privacy'> & {
    /** Whatever it leaves out becomes the default. */
    privacy: PrivacyInput;
  }
>;

/** A workspace's own providers by name, and the names of the operator's. */
export type ProviderList = {
  providers: readonly StoredProvider[];
  operatorProviders: readonly string[];
};

export type WorkspaceSettingsDeps = {
  store: SettingsStore;
  checkBaseUrl: CheckBaseUrl;
  /** Names of the providers that the operator configured. */
  operatorProviders: readonly string[];
  newVersion: () => string;
  /** Milliseconds. */
  clock: () => number;
  /** Hears of reads for completions that failed. */
  onFailure: (workspaceId: string, error: unknown) => void;
};

/** A change is in force everywhere within this time, in milliseconds. */
const TTL_MS = 3_000;
/** Workspaces whose models are remembered. */
const CACHED_MAX = 2_000;

/** Joins the settings' stories with what they need. */
export const createWorkspaceSettings = (deps: WorkspaceSettingsDeps): WorkspaceSettings => {
  const { store, clock, operatorProviders } = deps;
  const cache = createSettingsCache(store.readModels, {
    ttlMs: TTL_MS,
    clock,
    maxEntries: CACHED_MAX,
    onFailure: deps.onFailure,
  });
  /** Also a change whose end nobody heard of may have happened. */
  const change = <T>(workspaceId: string, running: Promise<T>): Promise<T> =>
    running.finally(() => cache.forget(workspaceId));
  return {
    models: cache.get,
    getSettings: async (workspaceId) => (await store.readStored(workspaceId)).settings,
    putSettings: async (workspaceId, { privacy: privacyInput, ...lists }) => {
      // Compiling patterns takes a while: before the lock.
      const wanted = privacyInput ? { ...lists, privacy: checkPrivacy(privacyInput) } : lists;
      let settings: ModelSettings | undefined;
      const replacing = store.replaceSettings(workspaceId, (stored) => {
        const own = stored.providers.map(({ name }) => name);
        settings = { ...stored.settings, ...wanted };
        checkSettings(settings, new Set([...operatorProviders, ...own]));
        return settings;
      });
      await change(workspaceId, replacing);
      return settings!;
    },
    listProviders: async (workspaceId) => {
      const { providers } = await store.readStored(workspaceId);
      return { providers, operatorProviders };
    },
    putProviders: async (workspaceId, inputs) => {
      const wanted = await checkBaseUrls(checkProviders(inputs), deps.checkBaseUrl);
      const replacing = store.replaceProviders(workspaceId, (stored) => {
        const now = new Date(clock());
        const { newVersion } = deps;
        return replaceProviders(stored, wanted, { operatorProviders, newVersion, now });
      });
      const providers = await change(workspaceId, replacing);
      return { providers, operatorProviders };
    },
  };
};

/** Names are asked of DNS, so all at once; the official addresses are known. */
const checkBaseUrls = (
  providers: readonly CheckedProvider[],
  checkBaseUrl: CheckBaseUrl,
): Promise<CheckedProvider[]> =>
  Promise.all(
    providers.map(async (provider, index) => {
      if (provider.baseUrl === OFFICIAL_BASE_URLS[provider.dialect]) return provider;
      const given = { url: provider.baseUrl, param: `providers[${index}].baseUrl` };
      return { ...provider, baseUrl: await checkBaseUrl(given) };
    }),
  );
