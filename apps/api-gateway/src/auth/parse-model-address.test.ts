import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { parseModelAddress } from './scope.ts';

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
  ['Service_Sensitive', { kind: 'service-sensitive' }],
  ['service-auto+knowledge', { kind: 'service-auto', knowledge: true }],
  ['gpt-5+knowledge', { kind: 'model', model: 'gpt-5', knowledge: true }],
  [
    'gpt-5+sensitive+knowledge',
    { kind: 'model', model: 'gpt-5', knowledge: true, sensitive: true },
  ],
  ['gpt-5%2Bsensitive', { kind: 'model', model: 'gpt-5', sensitive: true }],
  ['agent:ann', { kind: 'agent', agent: 'ann' }],
  ['agent:ann+sensitive', { kind: 'agent', agent: 'ann', sensitive: true }],
  ['agent:äöü', { kind: 'agent', agent: 'äöü' }],
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

  it('stores the requested model unchanged', () => {
    for (const [requested] of ADDRESSES) {
      expect(parseModelAddress(requested).requested).toBe(requested);
    }
  });

  it.each(['debate:42', 'debate:', 'debate:42+sensitive'])(
    'refuses the reserved address %s as not implemented',
    (requested) => {
      const refusal = refusalOf(() => parseModelAddress(requested));
      expect(refusal).toEqual({ reason: 'NOT_IMPLEMENTED', param: 'model' });
    },
  );

  it.each([
    ['a lone surrogate, which a certificate cannot contain', 'gpt-\ud800'],
    ['a control character, which is nobody\u2019s name', 'gpt-\u0000'],
    ['a line feed', 'gpt-5\n'],
    ['an unknown flag', 'gpt-5+sensitve'],
    ['an unknown service', 'service-other'],
  ])('refuses %s', (_name, requested) => {
    const refusal = refusalOf(() => parseModelAddress(requested));
    expect(refusal).toEqual({ reason: 'INVALID_REQUEST', param: 'model' });
  });
});
