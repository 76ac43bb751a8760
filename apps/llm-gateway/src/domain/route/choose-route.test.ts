import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { AddressSchema } from '@witan/contracts';
import type { Address } from '@witan/contracts';
import { chooseRoute } from './choose-route.ts';
import type { RouteSettings } from './choose-route.ts';

const hosted: RouteSettings = {
  providers: new Set(['openai']),
  defaultProvider: 'openai',
  fullModel: 'gpt-full',
  local: undefined,
  isLocalModel: false,
};
const both: RouteSettings = {
  ...hosted,
  providers: new Set(['openai', 'local']),
  local: { provider: 'local', model: 'llama' },
  isLocalModel: false,
};
/** The local runtime offers what is asked for. */
const listed: RouteSettings = { ...both, isLocalModel: true };
const offline: RouteSettings = {
  providers: new Set(['offline']),
  defaultProvider: 'offline',
  fullModel: 'stand-in',
  local: { provider: 'offline', model: 'stand-in' },
  isLocalModel: false,
};

const address = (init: Partial<Address>): Address =>
  create(AddressSchema, { kind: 'model', ...(init as object) });
const model = (name: string): Address => address({ model: name });
const kind = (name: string): Address => address({ kind: name });

const ROUTES: readonly (readonly [string, Address, RouteSettings, string])[] = [
  ['gpt-5', model('gpt-5'), hosted, 'openai gpt-5 passthrough'],
  ['o1', model('o1'), hosted, 'openai o1 passthrough'],
  ['o3-mini', model('o3-mini'), hosted, 'openai o3-mini passthrough'],
  ['chatgpt-latest', model('chatgpt-latest'), hosted, 'openai chatgpt-latest passthrough'],
  ['an unknown name', model('mistral'), hosted, 'openai gpt-full default_provider'],
  ['a name that only looks like o1', model('ollama'), hosted, 'openai gpt-full default_provider'],
  ['a name in capitals', model('GPT-5'), hosted, 'openai gpt-full default_provider'],
  ['claude without its provider', model('claude-x'), hosted, 'openai gpt-full default_provider'],
  ['a local model', model('llama'), listed, 'local llama passthrough'],
  [
    'gpt-* before a local model of that name',
    model('gpt-oss'),
    listed,
    'openai gpt-oss passthrough',
  ],
  ['gpt-5 without openai', model('gpt-5'), offline, 'offline stand-in default_provider'],
  ['service-auto', kind('service-auto'), both, 'openai gpt-full default_provider'],
  ['service-agent', kind('service-agent'), both, 'openai gpt-full forced'],
  ['service-sensitive', kind('service-sensitive'), both, 'local llama sensitive_local'],
  [
    'a hosted model that must stay here',
    address({ model: 'gpt-5', sensitive: true }),
    both,
    'local llama sensitive_local',
  ],
  [
    'a model of the local runtime that must stay here',
    address({ model: 'mistral', sensitive: true }),
    listed,
    'local mistral sensitive_local',
  ],
  [
    'service-auto that must stay here',
    address({ kind: 'service-auto', sensitive: true }),
    offline,
    'offline stand-in sensitive_local',
  ],
];

describe('chooseRoute', () => {
  it.each(ROUTES)('routes %s', (_name, asked, settings, expected) => {
    const route = chooseRoute(asked, { hasTools: false }, settings);
    expect(`${route.provider} ${route.model} ${route.reason}`).toBe(expected);
    expect(route.taskType).toBe('chat');
  });

  it('takes a call with tools for work with tools', () => {
    expect(chooseRoute(model('gpt-5'), { hasTools: true }, hosted).taskType).toBe('tools');
  });

  it.each([
    ['service-sensitive', kind('service-sensitive')],
    ['+sensitive', address({ model: 'gpt-5', sensitive: true })],
  ])('refuses %s when nobody on the machine can answer', (_name, asked) => {
    const choose = (): unknown => chooseRoute(asked, { hasTools: false }, hosted);
    expect(choose).toThrow(expect.objectContaining({ reason: 'LOCAL_RUNTIME_UNAVAILABLE' }));
  });
});
