import type { buildConnector } from 'undici';
import type { Provider, ProviderAccess } from '../domain/completion/ports.ts';
import { createRedactAccount } from '../domain/completion/redact-account.ts';
import { createCircuitBreaker } from '../domain/resilience/circuit-breaker.ts';
import type { WorkspaceProvider } from '../domain/settings/workspace-models.ts';
import { createAnthropic } from './anthropic.ts';
import type { ClosableProvider, ProviderTimeouts } from './http-provider.ts';
import { createOpenai } from './openai.ts';

/** Every provider that calls may go to, each behind a circuit breaker of its own. */
export type ProviderPool = {
  /** The operator's, by name. */
  operator: ReadonlyMap<string, ProviderAccess>;
  /** A workspace's own: opened when it is first asked, renewed when its settings change. */
  ownedBy: (workspaceId: string, provider: WorkspaceProvider) => ProviderAccess;
  close: () => Promise<void>;
};

/** Workspaces' providers that are kept open; the one longest unused is closed first. */
const OWNED_MAX = 1_000;

type PoolOptions = {
  operator: readonly (Provider & Partial<ClosableProvider>)[];
  /** Credentials and ids of the operator's accounts: in no error of a provider. */
  operatorSecrets: readonly string[];
  timeouts: ProviderTimeouts;
  /** Opens connections to addresses that a workspace gave: public ones only. */
  guardedConnect: buildConnector.connector;
  clock: () => number;
};

type Owned = { access: ProviderAccess; version: string; provider: ClosableProvider };

export const createProviderPool = (options: PoolOptions): ProviderPool => {
  const { timeouts, guardedConnect: connect, clock } = options;
  const shield = (provider: Provider): ProviderAccess => ({
    provider,
    breaker: createCircuitBreaker(clock),
  });
  const redactError = createRedactAccount(options.operatorSecrets);
  const owned = new Map<string, Owned>();
  const open = ({ name, dialect, baseUrl, apiKey }: WorkspaceProvider): ClosableProvider =>
    dialect === 'messages'
      ? createAnthropic({ apiKey, baseUrl }, { name, timeouts, connect })
      : createOpenai(
          { apiKey, baseUrl, organization: undefined, project: undefined },
          { name, timeouts, connect },
        );
  const evict = (key: string): void => {
    owned.get(key)?.provider.retire();
    owned.delete(key);
  };
  return {
    operator: new Map(
      options.operator.map((provider) => [provider.name, shield({ ...provider, redactError })]),
    ),
    ownedBy: (workspaceId, settings) => {
      const key = `${workspaceId} ${settings.name}`;
      let entry = owned.get(key);
      // Versions sort by time: a call that was planned before a change takes what is there now.
      if (entry && entry.version >= settings.version) {
        // Behind all others again: a Map keeps the order of insertion.
        owned.delete(key);
      } else {
        evict(key);
        const provider = open(settings);
        entry = { access: shield(provider), version: settings.version, provider };
      }
      owned.set(key, entry);
      if (owned.size > OWNED_MAX) evict(owned.keys().next().value!);
      return entry.access;
    },
    close: async () => {
      const closing = [...owned.values()].map(({ provider }) => provider.close());
      await Promise.all([...closing, ...options.operator.map((provider) => provider.close?.())]);
    },
  };
};
