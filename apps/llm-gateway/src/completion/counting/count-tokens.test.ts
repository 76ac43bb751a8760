import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { CountTokensRequestSchema, ServiceError } from '@witan/contracts';
import type { WireBody } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import { createFakeProvider } from '../../../test/fake-provider.ts';
import { createTestPrivacy } from '../../../test/masking.ts';
import { makeAddress, wireRequest } from '../../../test/requests.ts';
import { makeSettings } from '../../../test/route-settings.ts';
import { DEFAULT_PRIVACY } from '../../masking/privacy-settings.ts';
import { createCircuitBreaker } from '../../provider/circuit-breaker.ts';
import { toTarget } from '../../provider/provider.ts';
import type { RouteSettings } from '../../routing/choose-route.ts';
import { countTokens } from './count-tokens.ts';

const TEXT = 'word '.repeat(40);
const caller = { workspaceId: 'ws_a', signal: new AbortController().signal };

const open = (changes: Partial<RouteSettings> = {}) => {
  const provider = createFakeProvider({ dialect: 'messages' });
  const dialects = new Map([['anthropic', [provider.dialect]]]);
  const settings = makeSettings({ dialects, ...changes });
  const access = { provider, breaker: createCircuitBreaker(() => 0) };
  const choicesFor = async () => ({ settings, privacy: DEFAULT_PRIVACY, accessTo: () => access });
  const deps = { choicesFor, privacy: createTestPrivacy() };
  return {
    provider,
    count: (address: object = {}, dialect: DialectName = 'messages') => {
      const body = { messages: [{ role: 'user', content: TEXT }] };
      const request = create(CountTokensRequestSchema, {
        address: makeAddress({ model: 'claude-x', ...address }),
        wire: wireRequest(dialect, body).input.value as WireBody,
      });
      return countTokens(request, caller, deps);
    },
  };
};

describe('a count of tokens', () => {
  it.each(['messages', 'chat-completions'] as const)(
    'is estimated for a body of %s without a call to a provider',
    async (dialect) => {
      const { provider, count } = open();
      expect(await count({}, dialect)).toEqual({ inputTokens: 50, model: 'claude-x' });
      expect(provider.calls).toEqual([]);
    },
  );

  it('names the model that would answer', async () => {
    const { count } = open({
      aliases: new Map([['claude-x', [toTarget('anthropic', 'claude-mine')]]]),
    });
    expect(await count()).toMatchObject({ model: 'claude-mine' });
  });

  it('is refused for an address that cannot be used', async () => {
    await expect(open().count({ sensitive: true })).rejects.toMatchObject({
      reason: 'LOCAL_RUNTIME_UNAVAILABLE',
    });
  });

  it('is refused without an address or a body', async () => {
    const choicesFor = async (): Promise<never> => {
      throw new ServiceError('INTERNAL', 'must not be called');
    };
    const counting = countTokens(create(CountTokensRequestSchema, {}), caller, {
      choicesFor,
      privacy: createTestPrivacy(),
    });
    await expect(counting).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
  });
});
