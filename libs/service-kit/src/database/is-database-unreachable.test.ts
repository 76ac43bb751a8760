import { describe, expect, it } from '@jest/globals';
import { isDatabaseUnreachable } from './is-database-unreachable.ts';

const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });

describe('isDatabaseUnreachable', () => {
  it.each<[string, unknown]>([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['a server that is shutting down', withCode('57P01')],
    ['a server that is starting', withCode('57P03')],
    ['a lost connection', withCode('08006')],
    ['too many connections', withCode('53300')],
    ['a full disk', withCode('53100')],
    ['an error of the disk', withCode('58030')],
    ['a connection lost by pg', new Error('Connection terminated unexpectedly')],
    ['a pool timeout', new Error('timeout exceeded when trying to connect')],
    ['an error with such a cause', new Error('query failed', { cause: withCode('ECONNRESET') })],
    ['one of several addresses', new AggregateError([new Error('x'), withCode('ECONNREFUSED')])],
  ])('is true for %s', (_name, error) => {
    expect(isDatabaseUnreachable(error)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a constraint violation', withCode('23505')],
    ['a cancelled statement', withCode('57014')],
    ['a programming error', new TypeError('x is not a function')],
    ['a value that is not an error', 'ECONNREFUSED'],
  ])('is false for %s', (_name, error) => {
    expect(isDatabaseUnreachable(error)).toBe(false);
  });

  it('terminates on circular causes', () => {
    const error = new Error('first');
    error.cause = new Error('second', { cause: error });
    expect(isDatabaseUnreachable(error)).toBe(false);
  });
});
