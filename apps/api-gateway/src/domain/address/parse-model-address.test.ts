import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { parseModelAddress } from './parse-model-address.ts';

type Expected = {
  kind: string;
  model?: string;
  agent?: string;
  knowledge?: boolean;
  sensitive?: boolean;
};

const ADDRESSES: readonly (readonly [string, Expected])[] = [
  ['gpt-5', { kind: 'model', model: 'gpt-5' }],
  ['o3-mini', { kind: 'model', model: 'o3-mini' }],
  ['some/vendor:model@v2', { kind: 'model', model: 'some/vendor:model@v2' }],
  ['ключ-модель', { kind: 'model', model: 'ключ-модель' }],
  ['service-auto', { kind: 'service-auto' }],
  ['service-agent', { kind: 'service-agent' }],
  ['service-sensitive', { kind: 'service-sensitive' }],
  ['service-other', { kind: 'model', model: 'service-other' }],
  ['Service-Auto', { kind: 'model', model: 'Service-Auto' }],
  ['service-auto+knowledge', { kind: 'service-auto', knowledge: true }],
  ['service-auto+sensitive', { kind: 'service-auto', sensitive: true }],
  ['gpt-5+knowledge', { kind: 'model', model: 'gpt-5', knowledge: true }],
  [
    'gpt-5+knowledge+sensitive',
    { kind: 'model', model: 'gpt-5', knowledge: true, sensitive: true },
  ],
  [
    'gpt-5+sensitive+knowledge',
    { kind: 'model', model: 'gpt-5', knowledge: true, sensitive: true },
  ],
  ['gpt-5+sensitive+sensitive', { kind: 'model', model: 'gpt-5', sensitive: true }],
  ['gpt-5+turbo', { kind: 'model', model: 'gpt-5+turbo' }],
  ['gpt-5+turbo+sensitive', { kind: 'model', model: 'gpt-5+turbo', sensitive: true }],
  // Whatever looks like the wish to stay on the machine is one.
  ...[
    '+sensitive',
    'gpt-5+sensitive+turbo',
    'gpt-5+Sensitive',
    'gpt-5+sensitive ',
    'gpt-5+ sensitive',
    'gpt-5+sensitive+',
    'gpt-5+sensitive:free',
    'service-sensitive+x',
    'service-sensitive ',
    'Service-Sensitive',
    'service-sensitive:free',
  ].map((model) => [model, { kind: 'model', model, sensitive: true }] as const),
  ['gpt-5+Knowledge', { kind: 'model', model: 'gpt-5+Knowledge' }],
  ['gpt-5+', { kind: 'model', model: 'gpt-5+' }],
  ['+knowledge', { kind: 'model', model: '+knowledge' }],
  ['agent:ann', { kind: 'agent', agent: 'ann' }],
  ['agent:ann+knowledge', { kind: 'agent', agent: 'ann', knowledge: true }],
  ['agent:ann+sensitive', { kind: 'agent', agent: 'ann', sensitive: true }],
  ['agent:äöü', { kind: 'agent', agent: 'äöü' }],
  ['agents:ann', { kind: 'model', model: 'agents:ann' }],
  ['Agent:ann', { kind: 'model', model: 'Agent:ann' }],
];

const refusalOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return isServiceError(error) ? { reason: error.reason, param: error.fields.param } : error;
  }
  return 'accepted';
};

describe('parseModelAddress', () => {
  it.each(ADDRESSES)('reads %s', (requested, expected) => {
    const { kind, model, agent, knowledge, sensitive } = parseModelAddress(requested);
    const all = { model: '', agent: '', knowledge: false, sensitive: false, ...expected };
    expect({ kind, model, agent, knowledge, sensitive }).toEqual(all);
  });

  it('keeps what was asked, word for word', () => {
    for (const [requested] of ADDRESSES) {
      expect(parseModelAddress(requested).requested).toBe(requested);
    }
  });

  it.each(['debate:42', 'debate:', 'debate:42+sensitive'])('reserves %s', (requested) => {
    const refusal = refusalOf(() => parseModelAddress(requested));
    expect(refusal).toEqual({ reason: 'NOT_IMPLEMENTED', param: 'model' });
  });

  it.each([
    ['half a surrogate pair, which no certificate could name', 'gpt-\ud800'],
    ['a control character, which is nobody\u2019s name', 'gpt-\u0000'],
    ['a line feed', 'gpt-5\n'],
  ])('refuses %s', (_name, requested) => {
    const refusal = refusalOf(() => parseModelAddress(requested));
    expect(refusal).toEqual({ reason: 'INVALID_REQUEST', param: 'model' });
  });
});
