import { describe, expect, it } from '@jest/globals';
import { makeAddress } from '../../test/requests.ts';
import { toRoutingAddress } from './choose-route.ts';

const routingAddress = (kind: string, model: string, sensitive = false): string => {
  const found = toRoutingAddress(makeAddress({ kind, model, sensitive, agent: 'ann' }));
  return [found.kind, found.model, found.sensitive ? 'here' : ''].join(' ').trim();
};

describe('the routing address of an agent', () => {
  it.each([
    ['no preference', '', 'service-agent'],
    ['a model', 'gpt-5', 'model gpt-5'],
    ['an alias, or an unknown name', 'fast', 'model fast'],
    ['service-auto', 'service-auto', 'service-auto'],
    ['service-agent', 'service-agent', 'service-agent'],
    ['service-sensitive', 'service-sensitive', 'service-sensitive'],
    ['service-sensitive in another spelling', 'Service_Sensitive', 'service-sensitive'],
    ['a model that must stay local', 'gpt-5+sensitive', 'model gpt-5 here'],
  ])('is its preference: %s', (_name, model, expected) => {
    expect(routingAddress('agent', model)).toBe(expected);
  });

  it('stays local when its caller requires it, whatever the agent prefers', () => {
    expect(routingAddress('agent', '', true)).toBe('service-agent  here');
    expect(routingAddress('agent', 'gpt-5', true)).toBe('model gpt-5 here');
  });

  it('is refused when its preference is misspelt', () => {
    expect(() => routingAddress('agent', 'gpt-5+sensitve')).toThrow('did you mean +sensitive?');
  });

  it('is unchanged for calls without an agent', () => {
    expect(routingAddress('model', 'service-auto')).toBe('model service-auto');
    expect(routingAddress('service-auto', '', true)).toBe('service-auto  here');
  });
});
