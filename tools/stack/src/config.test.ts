import { describe, expect, it } from '@jest/globals';
import { readStartEnv } from './config.ts';

describe('the environment of npm start', () => {
  it.each([
    ['warnings only at a terminal', {}, true, 'warn'],
    ['unchanged if the output is not a terminal', {}, false, undefined],
    ['unchanged if LOG_LEVEL is set', { LOG_LEVEL: 'info' }, true, 'info'],
    ['unchanged in production', { WITAN_ENV: 'production' }, true, undefined],
  ])('%s', (_name, env, isTerminal, level) => {
    const keys = { WITAN_SECRETS_KEY: 'key', WITAN_SIGNING_KEY_FILE: 'file' };
    expect(readStartEnv({ ...keys, ...env }, { isTerminal }).all.LOG_LEVEL).toBe(level);
  });

  it('creates no key in production', () => {
    expect(() => readStartEnv({ WITAN_ENV: 'production' })).toThrow('WITAN_SIGNING_KEY_FILE');
  });
});
