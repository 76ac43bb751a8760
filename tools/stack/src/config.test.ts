import { describe, expect, it } from '@jest/globals';
import { readStartEnv } from './config.ts';

describe('readStartEnv', () => {
  it.each([
    ['sets LOG_LEVEL to warn at a terminal', {}, true, 'warn'],
    ['sets no LOG_LEVEL if the output is not a terminal', {}, false, undefined],
    ['preserves LOG_LEVEL if it is set', { LOG_LEVEL: 'info' }, true, 'info'],
    ['sets no LOG_LEVEL in production', { WITAN_ENV: 'production' }, true, undefined],
  ])('%s', (_name, env, isTerminal, level) => {
    const keys = { WITAN_SECRETS_KEY: 'key', WITAN_SIGNING_KEY_FILE: 'file' };
    expect(readStartEnv({ ...keys, ...env }, { isTerminal }).all.LOG_LEVEL).toBe(level);
  });

  it('requires the keys in production', () => {
    expect(() => readStartEnv({ WITAN_ENV: 'production' })).toThrow('WITAN_SIGNING_KEY_FILE');
  });
});
