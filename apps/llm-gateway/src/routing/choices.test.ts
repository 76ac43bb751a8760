import { describe, expect, it } from '@jest/globals';
import type { DialectName } from '@witan/dialects';
import { createFakeProvider } from '../../test/fake-provider.ts';
import type { FakeProvider } from '../../test/fake-provider.ts';
import { parseTarget, showTarget } from '../../test/route-settings.ts';
import type { ProviderAccess } from '../provider/provider.ts';
import { createCircuitBreaker } from '../provider/circuit-breaker.ts';
import { NO_SETTINGS } from '../provider/workspace-models.ts';
import type { WorkspaceModels, WorkspaceProvider } from '../provider/workspace-models.ts';
import { createChoices } from './choices.ts';
import type { OperatorModels } from './choices.ts';
import { createModelCatalogue } from './model-catalogue.ts';

const OPERATOR: OperatorModels = {
  full: [parseTarget('openai/gpt-full')],
  cheap: [parseTarget('openai/gpt-cheap')],
  small: [parseTarget('openai/gpt-small')],
  local: parseTarget('local/llama'),
  localModel: 'llama',
  listed: new Map(),
  embedding: [parseTarget('openai/embed')],
  localEmbedding: parseTarget('local/embed'),
};
const NO_WORKSPACE_MODELS: WorkspaceModels = { ...NO_SETTINGS, providers: new Map() };

const withBreaker = (provider: FakeProvider): ProviderAccess => ({
  provider,
  breaker: createCircuitBreaker(() => 0),
});
const own = (name: string, dialect: DialectName): WorkspaceProvider => ({
  name,
  dialects: [dialect],
  baseUrl: 'https://api.example',
  apiKey: 'sk-own',
  version: 'ver_1',
});

type SetupOptions = { models?: WorkspaceModels; operator?: OperatorModels };

const open = ({ models = NO_WORKSPACE_MODELS, operator = OPERATOR }: SetupOptions = {}) => {
  const openai = createFakeProvider({ models: ['gpt-5'] });
  const local = createFakeProvider({ name: 'local', models: ['llama', 'mistral'] });
  const providers = new Map([openai, local].map((item) => [item.name, withBreaker(item)]));
  const openedProviders: string[] = [];
  let listCount = 0;
  const catalogue = createModelCatalogue([openai, local], { clock: () => 0, onFailure: () => {} });
  const choicesFor = createChoices({
    operator,
    providers,
    workspaceAccess: (workspaceId, { name }) => {
      openedProviders.push(`${workspaceId} ${name}`);
      return withBreaker(createFakeProvider({ name }));
    },
    modelsOf: () => models,
    catalogue: {
      ...catalogue,
      isOfferedBy: (provider, model) => {
        listCount += 1;
        return catalogue.isOfferedBy(provider, model);
      },
    },
  });
  return { choicesFor, providers, opened: openedProviders, listed: () => listCount };
};

describe('the choices of a workspace', () => {
  it('are the operator’s when it has no settings', async () => {
    const { choicesFor, providers } = open();
    const { settings, accessTo } = await choicesFor('ws_a', 'gpt-5');
    expect(settings).toEqual({
      workspaceId: 'ws_a',
      dialects: new Map([
        ['openai', ['chat-completions']],
        ['local', ['chat-completions']],
      ]),
      aliases: new Map(),
      full: OPERATOR.full,
      cheap: OPERATOR.cheap,
      small: OPERATOR.small,
      local: OPERATOR.local,
      listed: [],
      isLocalModel: false,
      embedding: OPERATOR.embedding,
      localEmbedding: OPERATOR.localEmbedding,
    });
    expect(accessTo('openai')).toBe(providers.get('openai'));
  });

  it('are its own settings, and otherwise the operator’s', async () => {
    const aliases = new Map([['fast', [parseTarget('openai/gpt-5')]]]);
    const cheap = [parseTarget('local/llama*1')];
    const { settings } = await open({
      models: { ...NO_WORKSPACE_MODELS, aliases, cheap },
    }).choicesFor('ws_a', 'fast');
    expect(settings.aliases).toBe(aliases);
    expect(settings.cheap).toBe(cheap);
    // Extractions use the workspace's own targets too, so the operator does not pay for them.
    expect(settings.small).toBe(cheap);
    expect(settings.full.map(showTarget)).toEqual(['openai/gpt-full']);
  });

  it('include its own providers, which override operator providers of the same name', async () => {
    const ownProviders = [own('openai', 'chat-completions'), own('mine', 'messages')];
    const models = {
      ...NO_WORKSPACE_MODELS,
      providers: new Map(ownProviders.map((ownProvider) => [ownProvider.name, ownProvider])),
    };
    const { choicesFor, providers, opened: openedProviders } = open({ models });
    const { settings, accessTo } = await choicesFor('ws_a', 'gpt-5');
    expect([...settings.dialects]).toEqual([
      ['openai', ['chat-completions']],
      ['local', ['chat-completions']],
      ['mine', ['messages']],
    ]);
    expect(accessTo('openai')).not.toBe(providers.get('openai'));
    expect(accessTo('mine').provider.name).toBe('mine');
    expect(accessTo('local')).toBe(providers.get('local'));
    expect(openedProviders).toEqual(['ws_a openai', 'ws_a mine']);
  });

  it('include the offline provider as the local one only without own providers', async () => {
    const operator = { ...OPERATOR, local: parseTarget('offline/witan-offline') };
    const operatorChoices = await open({ operator }).choicesFor('ws_a', 'gpt-5');
    expect(operatorChoices.settings.local).toEqual(operator.local);
    const providers = new Map([['mine', own('mine', 'messages')]]);
    const models = { ...NO_WORKSPACE_MODELS, providers };
    expect((await open({ models, operator }).choicesFor('ws_a', 'gpt-5')).settings.local).toBe(
      undefined,
    );
    expect((await open({ models }).choicesFor('ws_a', 'gpt-5')).settings.local).toBe(
      OPERATOR.local,
    );
  });

  it('have the dialect of the own provider that overrides an operator’s', async () => {
    const models = {
      ...NO_WORKSPACE_MODELS,
      providers: new Map([['openai', own('openai', 'messages')]]),
    };
    const { settings } = await open({ models }).choicesFor('ws_a', 'gpt-5');
    expect(settings.dialects.get('openai')).toEqual(['messages']);
  });

  it('lack a provider that the operator removed, so that another target is tried', async () => {
    const { accessTo } = await open().choicesFor('ws_a', 'gpt-5');
    expect(() => accessTo('gone')).toThrow(
      expect.objectContaining({ reason: 'PROVIDER_UNREACHABLE' }),
    );
  });
});

describe('isLocalModel', () => {
  it.each([
    ['the configured model', 'llama', true],
    ['a model that the local runtime lists', 'mistral', true],
    ['a model that only others list', 'gpt-5', false],
  ])('is set correctly for %s', async (_name, model, expected) => {
    const { settings } = await open().choicesFor('ws_a', model);
    expect(settings.isLocalModel).toBe(expected);
  });

  it.each([
    ['no local runtime is configured', { ...OPERATOR, localModel: undefined }, 'mistral'],
    ['no model is named', OPERATOR, ''],
    ['the configured model is named', OPERATOR, 'llama'],
  ])('needs no model list when %s', async (_name, operator, model) => {
    const setup = open({ operator });
    await setup.choicesFor('ws_a', model);
    expect(setup.listed()).toBe(0);
  });
});
