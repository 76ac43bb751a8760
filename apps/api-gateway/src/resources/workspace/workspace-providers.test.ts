import { describe, expect, it } from '@jest/globals';
import { invalidRequest, unavailable } from '@witan/contracts';
import type { SettingsService } from '@witan/contracts/services';
import type { CallOptions, Client } from '@witan/service-kit';
import type { AuditEntry } from '../../audit/audit.ts';
import type { RouteCall } from '../../http/route.ts';
import { putProvidersRoute } from './workspace-providers.ts';

type Settings = Client<typeof SettingsService>;

const ACTOR_FIELDS = { workspaceId: 'ws_1', actor: 'key_1' };
const CHANGED = { ...ACTOR_FIELDS, action: 'provider.changed', subject: 'new' };
const REMOVAL_ENTRY = { ...ACTOR_FIELDS, action: 'provider.removed', subject: 'old' };

const put = async (failure?: Error) => {
  const audit: AuditEntry[] = [];
  const seen: CallOptions[] = [];
  const stored = ['old', 'same'].map((name) => ({ name, updatedAt: 0n }));
  const settings = {
    listProviders: async () => ({ providers: stored, operatorProviders: [] }),
    putProviders: async (_request: unknown, options: CallOptions) => {
      seen.push(options);
      if (failure) throw failure;
      return { providers: [], operatorProviders: [] };
    },
  } as unknown as Settings;
  const route = putProvidersRoute(settings, async (entries) => void audit.push(...entries));
  const principal = { keyId: 'key_1', workspaceId: 'ws_1', userId: 'usr_1', scopes: ['keys'] };
  const providers = [{ name: 'new', apiKey: 'k' }, { name: 'same' }];
  const signal = AbortSignal.abort();
  const call = { principal, requestId: 'req_1', signal, body: { providers } };
  const outcome = await route.handle(call as unknown as RouteCall).catch((error: Error) => error);
  return { audit, outcome, seen };
};

describe('the audit of a provider change', () => {
  it('names added and removed providers, and no unchanged ones', async () => {
    const { audit, outcome } = await put();
    expect(outcome).toMatchObject({ status: 200 });
    expect(audit).toEqual([CHANGED, REMOVAL_ENTRY]);
  });

  it('has no entry for a refused change', async () => {
    const refusal = invalidRequest('no', { param: 'providers' });
    expect(await put(refusal)).toMatchObject({ audit: [], outcome: refusal });
  });

  it('has an entry for a change with an unknown outcome', async () => {
    const failure = unavailable('gone');
    expect(await put(failure)).toMatchObject({ audit: [CHANGED, REMOVAL_ENTRY], outcome: failure });
  });

  it('is written even if the client disconnects', async () => {
    const { seen } = await put();
    expect(seen).toMatchObject([{ workspaceId: 'ws_1', signal: undefined }]);
  });
});
