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
const makeTargets = (count: number): Target[] =>
  Array.from({ length: count }, (_, index) => makeTarget('openai', `m${index}`));
const aliases = (count: number): ModelSettings => ({
  ...NO_SETTINGS,
  aliases: new Map(
    Array.from({ length: count }, (_, index) => [`a${index}`, [makeTarget('openai')]]),
  ),
});

const providerPath = (list: string): string => `router.${list}.targets[0].provider`;

describe('accepted settings', () => {
  it.each<[string, ModelSettings]>([
    ['nothing', NO_SETTINGS],
    ['200 aliases', aliases(200)],
    ['10 targets', aliased('fast', makeTargets(10))],
    ['a target of the workspace', aliased('fast', [makeTarget('mine'), makeTarget('openai')])],
    [
      'a model at two providers',
      aliased('fast', [makeTarget('mine', 'x'), makeTarget('openai', 'x')]),
    ],
    ['the largest weight', { ...NO_SETTINGS, cheap: [makeTarget('openai', 'm', 1000)] }],
    ['a long name', aliased('n'.repeat(256))],
    ['a name of wide characters', aliased('💠'.repeat(256))],
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
    ['201 aliases', aliases(201), 'aliases'],
    ['an empty name', aliased(''), 'aliases'],
    ['a name that is too long', aliased('n'.repeat(257)), 'aliases'],
    ['a name of two lines', aliased('a\nb'), 'aliases'],
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
    ['an alias without targets', aliased('fast', []), 'aliases.fast.targets'],
    ['11 targets', aliased('fast', makeTargets(11)), 'aliases.fast.targets'],
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
    ['no model', aliased('fast', [makeTarget('openai', '')]), 'aliases.fast.targets[0].model'],
    [
      'a model name that is too long',
      aliased('fast', [makeTarget('openai', 'm'.repeat(257))]),
      'aliases.fast.targets[0].model',
    ],
    [
      'a weight that is too large',
      aliased('fast', [makeTarget('mine', 'm', 1001)]),
      'aliases.fast.targets[0].weight',
    ],
    [
      'a fractional weight',
      aliased('fast', [makeTarget('mine', 'm', 0.5)]),
      'aliases.fast.targets[0].weight',
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
