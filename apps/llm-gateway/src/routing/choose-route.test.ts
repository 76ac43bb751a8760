import { describe, expect, it } from '@jest/globals';
import type { Address } from '@witan/contracts';
import type { DialectName, RoutingSignals } from '@witan/dialects';
import type { TaskType } from '@witan/proof';
import { makeAddress } from '../../test/requests.ts';
import { makeSettings, parseTarget, showTarget } from '../../test/route-settings.ts';
import { makeSignals } from '../../test/signals.ts';
import { chooseRoute, toRoutingAddress } from './choose-route.ts';
import type { RouteSettings } from './choose-route.ts';
import { toTarget } from '../provider/provider.ts';

const hosted = makeSettings();
const local = toTarget('local', 'llama');
const both = makeSettings({
  dialects: new Map([
    ['openai', ['chat-completions']],
    ['local', ['chat-completions']],
  ]),
  local,
});
const settingsWithLocalModel = { ...both, isLocalModel: true };
const offline = makeSettings({
  dialects: new Map([['offline', ['chat-completions']]]),
  full: [toTarget('offline', 'witan-offline')],
  cheap: [toTarget('offline', 'witan-offline')],
  local: toTarget('offline', 'witan-offline'),
});
const twoDialects = makeSettings({
  dialects: new Map([
    ['openai', ['chat-completions']],
    ['anthropic', ['messages']],
    ['own', ['messages']],
  ]),
  full: [toTarget('openai', 'gpt-full'), toTarget('anthropic', 'claude-full')],
});
const withAlias = (name: string, settings: RouteSettings): RouteSettings => ({
  ...settings,
  aliases: new Map([[name, [parseTarget('own/mine')]]]),
});

const model = (name: string): Address => makeAddress({ model: name });
const kind = (name: string): Address => makeAddress({ kind: name });
const sensitive = (name: string): Address => makeAddress({ model: name, sensitive: true });

const COMPLEX = makeSignals({ lastUserText: 'Fix the bug in this code.' });
const HARNESS = makeSignals({ toolCount: 4 });
const SIGNED_REASONING = makeSignals({ hasSignedReasoning: true });
const TOOL_LOOP = makeSignals({ toolCount: 1, hasOpenToolCalls: true });

const route = (address: Address, settings: RouteSettings, signals = makeSignals()): string => {
  const { targets, reason } = chooseRoute(address, signals, { ...settings, isSensitive: false });
  return [...targets.map(showTarget), reason].join(' ');
};

const ROUTES: readonly (readonly [string, Address, RouteSettings, string])[] = [
  ['gpt-5', model('gpt-5'), hosted, 'openai/gpt-5 passthrough'],
  ['o1', model('o1'), hosted, 'openai/o1 passthrough'],
  ['o3-mini', model('o3-mini'), hosted, 'openai/o3-mini passthrough'],
  ['chatgpt-latest', model('chatgpt-latest'), hosted, 'openai/chatgpt-latest passthrough'],
  ['claude-x', model('claude-x'), twoDialects, 'anthropic/claude-x passthrough'],
  ['a local model', model('llama'), settingsWithLocalModel, 'local/llama passthrough'],
  [
    'gpt-* instead of a local model of that name',
    model('gpt-oss'),
    settingsWithLocalModel,
    'openai/gpt-oss passthrough',
  ],
  [
    'claude-* instead of a local model of that name, where anthropic is configured',
    model('claude-x'),
    { ...twoDialects, isLocalModel: true },
    'anthropic/claude-x passthrough',
  ],
  [
    'claude-* to the local runtime if only that has the model',
    model('claude-x'),
    settingsWithLocalModel,
    'local/claude-x passthrough',
  ],
  ['an unknown name', model('mistral'), hosted, 'openai/gpt-cheap default_provider'],
  ['a name that only looks like o1', model('ollama'), hosted, 'openai/gpt-cheap default_provider'],
  ['a name in capitals', model('GPT-5'), hosted, 'openai/gpt-cheap default_provider'],
  ['claude without its provider', model('claude-x'), hosted, 'openai/gpt-cheap default_provider'],
  ['gpt-5 without openai', model('gpt-5'), offline, 'offline/witan-offline default_provider'],
  ['an alias', model('mine'), withAlias('mine', hosted), 'own/mine alias'],
  [
    'an alias with the name of an openai model',
    model('gpt-5'),
    withAlias('gpt-5', hosted),
    'own/mine alias',
  ],
  [
    'an alias with the name of a local model',
    model('llama'),
    withAlias('llama', settingsWithLocalModel),
    'own/mine alias',
  ],
  [
    'a name of an inherited property',
    model('constructor'),
    hosted,
    'openai/gpt-cheap default_provider',
  ],
  ['service-auto', kind('service-auto'), both, 'openai/gpt-cheap simple'],
  ['service-agent', kind('service-agent'), both, 'openai/gpt-full forced'],
  ['service-sensitive', kind('service-sensitive'), both, 'local/llama sensitive_local'],
  ['a hosted model that must stay local', sensitive('gpt-5'), both, 'local/llama sensitive_local'],
  [
    'an alias that must stay local',
    sensitive('mine'),
    withAlias('mine', both),
    'local/llama sensitive_local',
  ],
  [
    'a model of the local runtime that must stay local',
    sensitive('mistral'),
    settingsWithLocalModel,
    'local/mistral sensitive_local',
  ],
  [
    'service-auto that must stay local',
    makeAddress({ kind: 'service-auto', sensitive: true }),
    offline,
    'offline/witan-offline sensitive_local',
  ],
];

describe('chooseRoute', () => {
  it.each(ROUTES)('routes %s', (_name, requested, settings, expected) => {
    expect(route(requested, settings)).toBe(expected);
    expect(
      chooseRoute(requested, makeSignals(), { ...settings, isSensitive: false }).taskType,
    ).toBe('chat');
  });

  it.each([
    ['a simple call', makeSignals(), 'openai/gpt-cheap', 'simple'],
    ['a demanding task', COMPLEX, 'openai/gpt-full', 'complex'],
    ['an agent harness', HARNESS, 'openai/gpt-full', 'harness'],
    ['a tool loop', TOOL_LOOP, 'openai/gpt-full', 'pinned'],
    ['signed reasoning', SIGNED_REASONING, 'openai/gpt-full', 'pinned'],
  ])('routes %s by its signals', (_name, signals, target, reason) => {
    expect(route(kind('service-auto'), hosted, signals)).toBe(`${target} ${reason}`);
    expect(route(model('mistral'), hosted, signals)).toBe(`${target} default_provider`);
    expect(route(kind('service-agent'), hosted, signals)).toBe('openai/gpt-full forced');
  });

  it.each([
    ['service-auto', kind('service-auto'), both, 'local/llama sensitive_local'],
    ['a name that no provider owns', model('mistral'), both, 'local/llama sensitive_local'],
    ['a tool loop', kind('service-auto'), both, 'local/llama sensitive_local', TOOL_LOOP],
    [
      'no local runtime',
      kind('service-auto'),
      hosted,
      'openai/gpt-cheap sensitive_masked_no_local',
    ],
    ['a named model', model('gpt-5'), both, 'openai/gpt-5 passthrough'],
    ['service-agent', kind('service-agent'), hosted, 'openai/gpt-full forced'],
  ])(
    'routes a sensitive call: %s',
    (_name, requested, settings, expected, signals = makeSignals()) => {
      const { targets, reason, isLocal } = chooseRoute(requested, signals, {
        ...settings,
        isSensitive: true,
      });
      expect([...targets.map(showTarget), reason].join(' ')).toBe(expected);
      expect(isLocal).toBe(reason === 'sensitive_local');
    },
  );

  it('reports the task type whatever the route', () => {
    const requested: [Address, RoutingSignals][] = [
      [model('gpt-5'), HARNESS],
      [kind('service-sensitive'), TOOL_LOOP],
    ];
    for (const [address, signals] of requested) {
      expect(chooseRoute(address, signals, { ...both, isSensitive: false }).taskType).toBe('tools');
    }
  });

  it.each([
    ['service-sensitive', kind('service-sensitive')],
    ['+sensitive', sensitive('gpt-5')],
    ['+sensitive of an alias', sensitive('mine')],
  ])('refuses %s without a local runtime', (_name, requested) => {
    const settings = withAlias('mine', hosted);
    const choose = (): unknown =>
      chooseRoute(requested, makeSignals(), { ...settings, isSensitive: false });
    expect(choose).toThrow(expect.objectContaining({ reason: 'LOCAL_RUNTIME_UNAVAILABLE' }));
  });

  it('never tries a hosted provider for a call that must stay local', () => {
    const settings = { ...both, full: twoDialects.full, cheap: twoDialects.full };
    expect(route(kind('service-sensitive'), settings)).toBe('local/llama sensitive_local');
  });
});

describe('the purpose that a service states', () => {
  const routeFor = (
    purpose: TaskType,
    requested: Address,
    settings: RouteSettings,
    isSensitive = false,
  ) => {
    const { targets, reason, taskType } = chooseRoute(toRoutingAddress(requested), makeSignals(), {
      ...settings,
      isSensitive,
      purpose,
    });
    return [...targets.map(showTarget), reason, taskType].join(' ');
  };
  const auto = kind('service-auto');

  it.each([
    ['an extraction', 'extraction', auto, hosted, 'openai/gpt-small simple extraction'],
    [
      'an extraction of a name that no provider owns',
      'extraction',
      model('mistral'),
      hosted,
      'openai/gpt-small default_provider extraction',
    ],
    [
      'an extraction of a named model',
      'extraction',
      model('gpt-5'),
      hosted,
      'openai/gpt-5 passthrough extraction',
    ],
    [
      'an extraction of the full model',
      'extraction',
      kind('service-agent'),
      hosted,
      'openai/gpt-full forced extraction',
    ],
    [
      'an extraction that stays local',
      'extraction',
      makeAddress({ kind: 'service-auto', sensitive: true }),
      both,
      'local/llama sensitive_local extraction',
    ],
    ['a debate', 'debate', auto, hosted, 'openai/gpt-cheap simple debate'],
    ['an analysis', 'analysis', auto, hosted, 'openai/gpt-full complex analysis'],
    [
      'a simulation',
      'simulation',
      kind('service-agent'),
      hosted,
      'openai/gpt-full forced simulation',
    ],
  ] as const)('routes %s', (_name, purpose, requested, settings, expected) => {
    expect(routeFor(purpose, requested, settings)).toBe(expected);
  });

  it('sends sensitive extractions to the small model only without a local runtime', () => {
    expect(routeFor('extraction', auto, both, true)).toBe('local/llama sensitive_local extraction');
    expect(routeFor('extraction', auto, hosted, true)).toBe(
      'openai/gpt-small sensitive_masked_no_local extraction',
    );
  });

  it('treats an extraction as simple whatever its length', () => {
    const long = makeSignals({ lastUserText: 'x'.repeat(50_000), promptLength: 50_000 });
    const output = { isSensitive: false, purpose: 'extraction' as const };
    expect(chooseRoute(toRoutingAddress(auto), long, { ...hosted, ...output }).reason).toBe(
      'simple',
    );
    // A client's call without a purpose is routed by its signals.
    const longJsonSignals = { ...long, wantsJson: true };
    const { targets, taskType } = chooseRoute(toRoutingAddress(auto), longJsonSignals, {
      ...hosted,
      isSensitive: false,
    });
    expect([...targets.map(showTarget), taskType]).toEqual(['openai/gpt-full', 'extraction']);
  });
});

describe('a conversation with signed reasoning', () => {
  it.each([
    ['service-auto', kind('service-auto'), 'pinned'],
    ['service-agent', kind('service-agent'), 'forced'],
    ['a name that no provider owns', model('mistral'), 'default_provider'],
  ])('stays with targets that support signatures: %s', (_name, address, reason) => {
    expect(route(address, twoDialects, SIGNED_REASONING)).toBe(`anthropic/claude-full ${reason}`);
    expect(route(kind('service-agent'), twoDialects)).toBe(
      'openai/gpt-full anthropic/claude-full forced',
    );
  });

  it('stays with targets that speak the dialect of the signature', () => {
    const signed = makeSignals({ hasSignedReasoning: true, signingDialect: 'responses' });
    const dialects = new Map<string, DialectName[]>([
      ['openai', ['chat-completions', 'responses']],
      ['anthropic', ['messages']],
    ]);
    const settings = { ...twoDialects, dialects };
    expect(route(kind('service-agent'), settings, signed)).toBe('openai/gpt-full forced');
  });

  it('uses all targets if none supports signatures', () => {
    expect(route(kind('service-auto'), hosted, SIGNED_REASONING)).toBe('openai/gpt-full pinned');
  });

  it('keeps the order of the targets that support signatures', () => {
    const full = ['own/b', 'openai/gpt-full', 'anthropic/a'].map(parseTarget);
    expect(route(kind('service-auto'), { ...twoDialects, full }, SIGNED_REASONING)).toBe(
      'own/b anthropic/a pinned',
    );
  });
});

describe('targets with weights', () => {
  const cheap = ['openai/a*1', 'openai/b*1'].map(parseTarget);
  const settings = makeSettings({ cheap });
  const routeToFirst = (signals: Partial<RoutingSignals>, workspaceId = 'ws_a'): string =>
    route(kind('service-auto'), { ...settings, workspaceId }, makeSignals(signals)).split(' ')[0]!;
  const FIRST_MESSAGES = Array.from({ length: 200 }, (_, number) => `Hello ${number}`);

  it('start later turns at the target of the first turn', () => {
    for (const openingText of FIRST_MESSAGES) {
      const first = routeToFirst({ openingText, lastUserText: openingText });
      expect(routeToFirst({ openingText, lastUserText: 'And now?', userTurns: 2 })).toBe(first);
    }
  });

  it('start at the same target although the instructions change', () => {
    const firsts = FIRST_MESSAGES.map((systemText) =>
      routeToFirst({ openingText: 'Hello', systemText }),
    );
    expect(new Set(firsts).size).toBe(1);
  });

  it.each([
    ['opening', (text: string) => routeToFirst({ openingText: text })],
    ['workspace', (text: string) => routeToFirst({}, text)],
  ])('are drawn again for another %s', (_name, draw) => {
    const counts = FIRST_MESSAGES.map(draw).filter((first) => first === 'openai/a').length;
    // 100 of the 200 draws are expected, within five standard deviations.
    expect(Math.abs(counts - 100)).toBeLessThan(5 * Math.sqrt(50));
  });

  it('include every target of an alias once', () => {
    const aliases = new Map([['mine', [...cheap, parseTarget('openai/c')]]]);
    const { targets } = chooseRoute(model('mine'), makeSignals(), {
      ...makeSettings({ aliases }),
      isSensitive: false,
    });
    expect(targets.map(showTarget).toSorted()).toEqual(['openai/a', 'openai/b', 'openai/c']);
  });
});
