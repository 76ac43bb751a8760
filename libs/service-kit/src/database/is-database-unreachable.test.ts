import { describe, expect, it } from '@jest/globals';
import { isDatabaseUnreachable } from './is-database-unreachable.ts';

const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });

describe('isServerAway', () => {
  it.each<[string, unknown]>([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['a server that was told to stop', withCode('57P01')],
    ['a server that starts', withCode('57P03')],
    ['a lost connection', withCode('08006')],
    ['no connection left', withCode('53300')],
    ['a connection that pg lost', new Error('Connection terminated unexpectedly')],
    ['a pool that waited too long', new Error('timeout exceeded when trying to connect')],
    ['a cause', new Error('query failed', { cause: withCode('ECONNRESET') })],
    ['one of several addresses', new AggregateError([new Error('x'), withCode('ECONNREFUSED')])],
  ])('knows %s', (_name, error) => {
    expect(isDatabaseUnreachable(error)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a broken rule', withCode('23505')],
    ['a cancelled statement', withCode('57014')],
    ['a mistake of ours', new TypeError('x is not a function')],
    ['what is no error', 'ECONNREFUSED'],
  ])('does not excuse %s', (_name, error) => {
    expect(isDatabaseUnreachable(error)).toBe(false);
  });

  it('ends on causes that lead in a circle', () => {
    const error = new Error('first');
    error.cause = new Error('second', { cause: error });
    expect(isDatabaseUnreachable(error)).toBe(false);
  });
});
