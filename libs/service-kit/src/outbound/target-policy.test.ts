import { describe, expect, it } from '@jest/globals';
import { ConfigError, readEnv } from '../config/read-env.ts';
import { isListedTarget, parseTargetPolicy, readTargetPolicy } from './target-policy.ts';

describe('parseTargetPolicy', () => {
  it.each([
    ['hooks.inside', { hostname: 'hooks.inside', port: 80 }, true],
    ['HOOKS.Inside.', { hostname: 'hooks.inside', port: 443 }, true],
    ['hooks.inside', { hostname: 'other.hooks.inside', port: 443 }, false],
    ['hooks.inside:8443', { hostname: 'hooks.inside', port: 8443 }, true],
    ['hooks.inside:8443', { hostname: 'hooks.inside', port: 443 }, false],
    ['hooks.inside:443', { hostname: 'hooks.inside', port: 443 }, true],
    ['127.0.0.1', { hostname: '127.0.0.1', port: 9 }, true],
    ['127.1', { hostname: '127.0.0.1', port: 9 }, true],
    ['[::1]:8080', { hostname: '::1', port: 8080 }, true],
    ['[0:0::1]', { hostname: '::1', port: 8080 }, true],
    ['ⓔxample.test', { hostname: 'example.test', port: 443 }, true],
  ])('entry %s and target %p match: %p', (entry, target, expected) => {
    const policy = parseTargetPolicy([entry], 'production');
    expect(isListedTarget(policy, target)).toBe(expected);
  });

  it.each([
    'https://a.test',
    'a.test/path',
    '*.a.test',
    '*',
    'user@a.test',
    '::1',
    'a.test:0',
    'a.test:65536',
    'a.test:',
    'a b',
    '[::1',
    '300.1.1.1',
    'a%2eb',
  ])('refuses the entry %s', (entry) => {
    expect(() => parseTargetPolicy([entry], 'production')).toThrow(JSON.stringify(entry));
  });
});

describe('readTargetPolicy', () => {
  const read = (text?: string) =>
    readEnv('test', { WITAN_ALLOW_PRIVATE_TARGETS: text }, (reader) =>
      readTargetPolicy(reader, 'development'),
    );

  it('allows port 443 and no private targets without the variable', () => {
    expect(read()).toEqual({ environment: 'development', ports: [443], allowPrivate: [] });
  });

  it('reads a comma-separated list', () => {
    expect(read('a.test, 10.0.0.1:8080').allowPrivate).toEqual([
      { hostname: 'a.test', port: undefined },
      { hostname: '10.0.0.1', port: 8080 },
    ]);
  });

  it('rejects invalid entries and names each', () => {
    expect(() => read('a.test,http://b.test,*.c.test')).toThrow(ConfigError);
    expect(() => read('a.test,http://b.test,*.c.test')).toThrow(/http:\/\/b\.test.*\*\.c\.test/);
  });
});
