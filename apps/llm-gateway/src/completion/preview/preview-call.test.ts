import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { PreviewRequestSchema } from '@witan/contracts';
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
import { previewCall } from './preview-call.ts';

const TEXT = 'Mail Ann Lee at ann@mail.io, I mean ann@mail.io.';

type Setup = {
  dialect?: DialectName;
  address?: Parameters<typeof makeAddress>[0];
  settings?: Partial<RouteSettings>;
  systemPreamble?: string;
};

const preview = async (setup: Setup = {}, body: object = {}) => {
  const provider = createFakeProvider({ dialect: setup.dialect ?? 'chat-completions' });
  const settings = makeSettings({
    dialects: new Map([[provider.name, provider.dialects]]),
    ...setup.settings,
  });
  const messages = [{ role: 'user', content: TEXT }];
  const request = create(PreviewRequestSchema, {
    address: makeAddress(setup.address ?? { model: 'gpt-x', requested: 'gpt-x' }),
    wire: wireRequest('chat-completions', { messages, ...body }).input.value as WireBody,
    systemPreamble: setup.systemPreamble ?? '',
  });
  const access = { provider, breaker: createCircuitBreaker(() => 0) };
  const previewed = await previewCall(
    request,
    { workspaceId: 'ws_a', signal: new AbortController().signal },
    {
      choicesFor: async () => ({ settings, privacy: DEFAULT_PRIVACY, accessTo: () => access }),
      privacy: createTestPrivacy(),
      maxOutputTokens: 100,
      isMetered: false,
      yieldAfter: () => undefined,
    },
  );
  expect(provider.calls).toEqual([]);
  return { ...previewed, body: JSON.parse(Buffer.from(previewed.body!).toString()) as unknown };
};

describe('previewCall', () => {
  it('returns the masked body, and each masked value with its category', async () => {
    const previewed = await preview();
    const [email, person] = ['EMAIL', 'PERSON'].map((category) =>
      previewed.masked!.find((one) => one.category === category)!,
    );
    expect(email).toMatchObject({ value: 'ann@mail.io' });
    expect(person).toMatchObject({ value: 'Ann Lee' });
    const content =
      `Mail [[${person!.placeholder}]] at [[${email!.placeholder}]], ` +
      `I mean [[${email!.placeholder}]].`;
    expect(previewed).toMatchObject({
      provider: 'openai',
      model: 'gpt-x',
      maskedCount: 3,
      categories: ['EMAIL', 'PERSON'],
      routingReason: 'passthrough',
      taskType: 'chat',
      body: { model: 'gpt-x', messages: [{ role: 'user', content }] },
    });
  });

  it('encodes the body for the dialect of the provider, and names what is left out', async () => {
    const settings = { aliases: new Map([['gpt-x', [toTarget('anthropic', 'claude-mine')]]]) };
    const previewed = await preview({ dialect: 'messages', settings }, { seed: 7 });
    expect(previewed).toMatchObject({ provider: 'anthropic', droppedParams: ['seed'] });
    expect(previewed.body).toMatchObject({
      model: 'claude-mine',
      messages: [{ role: 'user', content: expect.anything() }],
    });
  });

  it('masks what the gateway adds, too', async () => {
    const { body } = await preview({ systemPreamble: 'Passage of Ann Lee.' });
    expect(JSON.stringify(body)).toMatch(/Passage of \[\[PERSON_/);
  });

  it('masks nothing that stays on this machine', async () => {
    const previewed = await preview({
      address: { kind: 'service-sensitive' },
      settings: { local: toTarget('local', 'llama') },
    });
    expect(previewed).toMatchObject({ maskedCount: 0, masked: [], model: 'llama' });
    expect(JSON.stringify(previewed.body)).toContain('ann@mail.io');
  });

  it('rejects a request without an address or a body', async () => {
    const deps = {
      choicesFor: async (): Promise<never> => {
        throw new Error('must not be called');
      },
      privacy: createTestPrivacy(),
      maxOutputTokens: 100,
      isMetered: false,
      yieldAfter: () => undefined,
    };
    const caller = { workspaceId: 'ws_a', signal: new AbortController().signal };
    await expect(previewCall(create(PreviewRequestSchema, {}), caller, deps)).rejects.toMatchObject(
      { reason: 'INVALID_REQUEST' },
    );
  });
});
