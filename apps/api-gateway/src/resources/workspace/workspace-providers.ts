import { isServiceError } from '@witan/contracts';
import type { ListProvidersResponse } from '@witan/contracts';
import type { SettingsService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { AuditEntry, RecordAudit } from '../../audit/audit.ts';
import type { Principal } from '../../auth/authenticate.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PROVIDERS, PROVIDERS_CHANGE } from './workspace-schema.ts';

type Settings = Client<typeof SettingsService>;
type ProviderChange = { name: string; dialect?: string; baseUrl?: string; apiKey?: string };
type ProviderList = Pick<ListProvidersResponse, 'providers' | 'operatorProviders'>;

const shared = { path: '/v1/workspace/providers', surface: 'native', tag: 'Workspace' } as const;

export const providersRoute = (settings: Settings): Route => ({
  ...shared,
  id: 'listProviders',
  method: 'get',
  summary: "The workspace's own model providers, and the names of the operator's",
  scopes: ['gateway', 'gateway:read'],
  responses: { 200: { description: 'The providers', schema: PROVIDERS } },
  handle: async (call) => ({
    status: 200,
    json: encodeProviders(await settings.listProviders({}, optionsOf(call))),
  }),
});

export const putProvidersRoute = (settings: Settings, recordAudit: RecordAudit): Route => ({
  ...shared,
  id: 'putProviders',
  method: 'put',
  summary: "Replace the list of the workspace's own model providers",
  scopes: ['keys'],
  body: PROVIDERS_CHANGE,
  responses: {
    200: { description: 'The providers as they are now', schema: PROVIDERS },
    400: DOCUMENTED_ERROR.native(
      'A provider is not valid, its address is blocked, or its key is missing',
    ),
  },
  handle: async (call) => {
    const newProviders = call.body.providers as ProviderChange[];
    const before = await settings.listProviders({}, optionsOf(call));
    const entries = toEntries(call.principal!, before, newProviders);
    const providers = newProviders.map(pickKnown);
    // No signal is passed, so that the change and its audit complete even if the client
    // disconnects.
    const options = { ...optionsOf(call), signal: undefined };
    const after = await settings.putProviders({ providers }, options).catch(async (error) => {
      // After any other error the change may have happened, so it is audited.
      if (!isRefusal(error)) await recordAudit(entries);
      throw error;
    });
    await recordAudit(entries);
    return { status: 200, json: encodeProviders(after) };
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

const isRefusal = (error: unknown): boolean =>
  isServiceError(error) && error.reason === 'INVALID_REQUEST';

/**
 * Returns only the known fields of a provider, because a protobuf message cannot carry others that
 * the client sent.
 */
const pickKnown = ({ name, dialect, baseUrl, apiKey }: ProviderChange): ProviderChange => ({
  name,
  dialect,
  baseUrl,
  apiKey,
});

const encodeProviders = ({ providers, operatorProviders }: ProviderList) => ({
  providers: providers.map(({ name, dialect, baseUrl, keyPreview, updatedAt }) => ({
    name,
    dialect,
    baseUrl,
    keyPreview,
    updatedAt: new Date(Number(updatedAt)).toISOString(),
  })),
  operatorProviders,
});
