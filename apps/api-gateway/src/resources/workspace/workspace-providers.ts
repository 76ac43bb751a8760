import type { ListProvidersResponse } from '@witan/contracts';
import type { SettingsService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { AuditEntry, RecordAudit } from '../../audit/audit.ts';
import type { Principal } from '../../auth/authenticate.ts';
import type { Route } from '../../http/route.ts';
import type { Static } from '../../http/schema.ts';
import { nativeRoutes } from '../native-routes.ts';
import { runAudited } from '../run-audited.ts';
import { PROVIDERS, PROVIDERS_CHANGE } from './workspace-schema.ts';

type Settings = Client<typeof SettingsService>;
type ProviderChange = Static<typeof PROVIDERS_CHANGE>['providers'][number];
type ProviderList = Pick<ListProvidersResponse, 'providers' | 'operatorProviders'>;

const PATH = '/v1/workspace/providers';

const { get, replace } = nativeRoutes('Workspace', 'gateway');

export const providersRoute = (settings: Settings): Route =>
  get(PATH, {
    id: 'listProviders',
    summary: "The workspace's own model providers, and the names of the operator's",
    returns: 'The providers',
    schema: PROVIDERS,
    run: async ({ options }) => withTimes(await settings.listProviders({}, options)),
  });

export const putProvidersRoute = (settings: Settings, recordAudit: RecordAudit): Route =>
  replace(PATH, {
    id: 'putProviders',
    summary: "Replace the list of the workspace's own model providers",
    scopes: ['keys'],
    body: PROVIDERS_CHANGE,
    returns: 'The providers as they are now',
    schema: PROVIDERS,
    errors: { 400: 'A provider is not valid, its address is blocked, or its key is missing' },
    run: async ({ call, body, options }) => {
      const before = await settings.listProviders({}, options);
      const entries = toEntries(call.principal!, before, body.providers);
      const providers = body.providers.map(pickKnown);
      const changed = await runAudited(call, { entries, recordAudit }, (auditedOptions) =>
        settings.putProviders({ providers }, auditedOptions),
      );
      return withTimes(changed);
    },
  });

/**
 * Returns the audit entries of a change of providers. A provider that comes with an API key counts
 * as changed, one that is missing in the new list as removed.
 */
const toEntries = (
  { workspaceId, keyId }: Principal,
  before: ProviderList,
  newProviders: readonly ProviderChange[],
): AuditEntry[] => {
  const names = new Set(newProviders.map(({ name }) => name));
  const entry = (action: AuditEntry['action'], { name }: { name: string }): AuditEntry => ({
    workspaceId,
    action,
    subject: name,
    actor: keyId,
  });
  const changed = newProviders.filter(({ apiKey }) => apiKey !== undefined);
  const removed = before.providers.filter(({ name }) => !names.has(name));
  return [
    ...changed.map((provider) => entry('provider.changed', provider)),
    ...removed.map((provider) => entry('provider.removed', provider)),
  ];
};

/**
 * Returns only the known fields of a provider, because a protobuf message cannot carry others that
 * the client sent.
 */
const pickKnown = ({ name, dialect, baseUrl, apiKey }: ProviderChange) => ({
  name,
  dialect,
  baseUrl,
  apiKey,
});

const withTimes = ({ providers, operatorProviders }: ProviderList) => ({
  providers: providers.map((provider) => ({
    ...provider,
    updatedAt: new Date(Number(provider.updatedAt)),
  })),
  operatorProviders,
});
