import type { buildConnector } from 'undici';
import { createCircuitBreaker } from '../circuit-breaker.ts';
import type { Provider, ProviderAccess } from '../provider.ts';
import { createRedactAccount } from '../redact-account.ts';
import type { WorkspaceProvider } from '../workspace-models.ts';
import { createAnthropic } from './anthropic.ts';
import type { ClosableProvider, ProviderTimeouts } from './http-provider.ts';
import { createOpenai } from './openai.ts';

export type ProviderPool = {
  operator: ReadonlyMap<string, ProviderAccess>;
  /**
   * Returns a workspace's own provider. It is opened on first use and replaced when its settings
   * change.
   */
  workspaceAccess: (workspaceId: string, provider: WorkspaceProvider) => ProviderAccess;
  close: () => Promise<void>;
};

/** Maximum number of open workspace providers; the least recently used one is closed first. */
const WORKSPACE_PROVIDERS_MAX = 1_000;

type PoolOptions = {
  operator: readonly (Provider & Partial<ClosableProvider>)[];
  /** The operator's credentials and account ids, which are redacted from errors. */
  operatorSecrets: readonly string[];
  timeouts: ProviderTimeouts;
  guardedConnect: buildConnector.connector;
  clock: () => number;
};

type WorkspaceEntry = { access: ProviderAccess; version: string; provider: ClosableProvider };

export const createProviderPool = (options: PoolOptions): ProviderPool => {
  const { timeouts, guardedConnect: connect, clock } = options;
  const withBreaker = (provider: Provider): ProviderAccess => ({
    provider,
    breaker: createCircuitBreaker(clock),
  });
  const redactError = createRedactAccount(options.operatorSecrets);
  const owned = new Map<string, WorkspaceEntry>();
  const open = ({ name, baseUrl, apiKey, ...own }: WorkspaceProvider): ClosableProvider => {
    const dialects = own.dialects.filter((dialect) => dialect !== 'messages');
    return dialects.length === 0
      ? createAnthropic({ apiKey, baseUrl }, { name, timeouts, connect })
      : createOpenai(
          { apiKey, baseUrl, organization: undefined, project: undefined, dialects },
          { name, timeouts, connect },
        );
  };
  const evict = (key: string): void => {
    owned.get(key)?.provider.retire();
    owned.delete(key);
  };
  return {
    operator: new Map(
      options.operator.map((provider) => [
        provider.name,
        withBreaker({ ...provider, redactError }),
      ]),
    ),
    workspaceAccess: (workspaceId, settings) => {
      const key = `${workspaceId} ${settings.name}`;
      let entry = owned.get(key);
      // A call planned before a settings change has an older version, which sorts before the
      // current one, and uses the current provider.
      if (entry && entry.version >= settings.version) {
        // A Map keeps insertion order, so reinserting marks the entry as recently used.
        owned.delete(key);
      } else {
        evict(key);
        const provider = open(settings);
        entry = { access: withBreaker(provider), version: settings.version, provider };
      }
      owned.set(key, entry);
      if (owned.size > WORKSPACE_PROVIDERS_MAX) evict(owned.keys().next().value!);
      return entry.access;
    },
    close: async () => {
      const closing = [...owned.values()].map(({ provider }) => provider.close());
      await Promise.all([...closing, ...options.operator.map((provider) => provider.close?.())]);
    },
  };
};
