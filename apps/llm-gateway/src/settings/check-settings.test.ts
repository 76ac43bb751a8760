import { describe, expect, it } from '@jest/globals';
import type { Target } from '../provider/provider.ts';
import { checkSettings } from './check-settings.ts';
import { NO_SETTINGS } from '../provider/workspace-models.ts';
import type { ModelSettings } from '../provider/workspace-models.ts';

const PROVIDERS = new Set(['openai', 'mine']);

const makeTarget = (provider: string, model = 'm', weight = 0): Target => ({
  provider,
  model,
  weight,
});
const aliased = (
  name: string,
  targets: readonly Target[] = [makeTarget('openai')],
): ModelSettings => ({
  ...NO_SETTINGS,
  aliases: new Map([[name, targets]]),
});

const providerPath = (list: string): string => `router.${list}.targets[0].provider`;

describe('accepted settings', () => {
  it.each<[string, ModelSettings]>([
    ['nothing', NO_SETTINGS],
    ['a target of the workspace', aliased('fast', [makeTarget('mine'), makeTarget('openai')])],
    [
      'a model at two providers',
      aliased('fast', [makeTarget('mine', 'x'), makeTarget('openai', 'x')]),
    ],
    ['a name that resembles an address', aliased('my-service-auto')],
    [
      'a model with a plus in its own name',
      aliased('fast', [makeTarget('mine', 'vendor/model+v2')]),
    ],
    ['the name of a hosted model', aliased('gpt-5')],
    ['a name of an inherited property', aliased('__proto__')],
  ])('%s', (_name, settings) => {
    expect(() => checkSettings(settings, PROVIDERS)).not.toThrow();
  });
});

describe('rejected settings', () => {
  it.each<[string, ModelSettings, string]>([
    ['a name of two lines', aliased('a\nb'), 'aliases'],
    [
      'a model name of two lines',
      aliased('fast', [makeTarget('openai', 'a\nb')]),
      'aliases.fast.targets[0].model',
    ],
    ['a name that is not well-formed Unicode', aliased('\ud800'), 'aliases'],
    ['a reserved name', aliased('service-fast'), 'aliases.service-fast'],
    ["an agent's address", aliased('agent:ada'), 'aliases.agent:ada'],
    ['the address of a debate', aliased('debate:x'), 'aliases.debate:x'],
    ['a name with a flag', aliased('fast+knowledge'), 'aliases.fast+knowledge'],
    ['an encoded flag', aliased('fast%2Bsensitive'), 'aliases.fast%2Bsensitive'],
    ['a misspelt flag', aliased('fast+sensitve'), 'aliases.fast+sensitve'],
    ['a name with a reserved beginning', aliased('Service_Fast'), 'aliases.Service_Fast'],
    [
      'a target with a misspelt flag',
      aliased('fast', [makeTarget('openai', 'gpt-5+sensitve')]),
      'aliases.fast.targets[0].model',
    ],
    [
      'a target that is an address',
      { ...NO_SETTINGS, full: [makeTarget('openai', 'service-sensitive')] },
      'router.full.targets[0].model',
    ],
    ['a name with another flag', aliased('fast+sensitive'), 'aliases.fast+sensitive'],
    [
      'an unknown provider',
      aliased('fast', [makeTarget('openai'), makeTarget('unknown')]),
      'aliases.fast.targets[1].provider',
    ],
    [
      'an unknown provider of full',
      { ...NO_SETTINGS, full: [makeTarget('unknown')] },
      providerPath('full'),
    ],
    [
      'an unknown provider of cheap',
      { ...NO_SETTINGS, cheap: [makeTarget('unknown')] },
      providerPath('cheap'),
    ],
    [
      'a duplicate target',
      aliased('fast', [makeTarget('mine'), makeTarget('mine')]),
      'aliases.fast.targets[1]',
    ],
  ])('%s', (_name, settings, param) => {
    expect(() => checkSettings(settings, PROVIDERS)).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param } }),
    );
  });
});
