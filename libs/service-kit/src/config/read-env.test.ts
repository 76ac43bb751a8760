import { describe, expect, it } from '@jest/globals';
import { ConfigError, readEnv } from './read-env.ts';
import type { Env, EnvReader } from './read-env.ts';

const errorsOf = (env: Env, build: (read: EnvReader) => object): readonly string[] => {
  try {
    readEnv('ledger', env, build);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }
  return [];
};
const read = <T>(env: Env, build: (read: EnvReader) => T): T =>
  readEnv('ledger', env, (reader) => ({ value: build(reader) })).value;

describe('readEnv', () => {
  it('lists every error in one message, not only the first', () => {
    const env = { PORT: '70000', MODE: 'fast', LIMIT: '5x', BASE: 'ftp://host' };
    const build = (reader: EnvReader): object => ({
      key: reader.text('KEY'),
      port: reader.port('PORT', 80),
      mode: reader.oneOf('MODE', ['slow', 'slower'], 'slow'),
      limit: reader.integer('LIMIT', { min: 1, max: 9, fallback: 1 }),
      base: reader.url('BASE', ['https:', 'http:']),
      own: reader.addError('KEY and PORT go together'),
    });
    const errors = errorsOf(env, build);
    expect(errors.map((error) => error.split(' ')[0])).toEqual([
      'KEY',
      'PORT',
      'MODE',
      'LIMIT',
      'BASE',
      'KEY',
    ]);
    expect(() => readEnv('ledger', env, build)).toThrow(
      /^ledger cannot start: its environment has 6 error\(s\):\n {2}- KEY is required\n/,
    );
  });

  it('returns a frozen configuration', () => {
    const config = readEnv('ledger', { A: 'x' }, (reader) => ({ a: reader.text('A') }));
    expect(config).toEqual({ a: 'x' });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each([
    ['absent', {}],
    ['empty', { A: '' }],
    ['blank', { A: '  \n' }],
  ])('uses the default for a variable that is %s', (_name, env) => {
    expect(read(env, (reader) => reader.text('A', 'default'))).toBe('default');
    expect(read(env, (reader) => reader.optional('A'))).toBeUndefined();
    expect(read(env, (reader) => reader.integer('A', { min: 0, max: 9, fallback: 7 }))).toBe(7);
    expect(read(env, (reader) => reader.oneOf('A', ['x', 'y'], 'y'))).toBe('y');
    expect(read(env, (reader) => reader.url('A', ['https:']))).toBeUndefined();
    expect(read(env, (reader) => reader.list('A'))).toEqual([]);
    expect(errorsOf(env, (reader) => ({ a: reader.text('A') }))).toEqual(['A is required']);
  });

  it('trims values', () => {
    expect(read({ A: ' x ' }, (reader) => reader.text('A'))).toBe('x');
    expect(read({ A: ' a, b ,,c ' }, (reader) => reader.list('A'))).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['1', 1],
    ['9', 9],
    ['007', 7],
  ])('reads %s as a whole number', (text, expected) => {
    const limits = { min: 1, max: 9, fallback: 5 };
    expect(read({ A: text }, (reader) => reader.integer('A', limits))).toBe(expected);
  });

  it.each(['0', '10', '-1', '1.5', '1e0', '0x1', 'one', '٣'])('rejects %s', (text) => {
    const limits = { min: 1, max: 9, fallback: 5 };
    const errors = errorsOf({ A: text }, (reader) => ({ a: reader.integer('A', limits) }));
    expect(errors).toEqual([expect.stringContaining('a whole number from 1 to 9')]);
  });

  it.each(['host', '/v1', 'ftp://host/', 'https//host', ''])(
    'rejects "%s" as an absolute URL',
    (text) => {
      const errors = errorsOf({ A: text }, (reader) => ({ a: reader.url('A', ['https:']) }));
      expect(errors).toHaveLength(text === '' ? 0 : 1);
    },
  );
});
