import { describe, expect, it } from '@jest/globals';
import { createLog } from '../log/create-log.ts';
import { retryUntilDatabaseReady, SchemaMissingError } from './retry-until-database-ready.ts';

const withCode = (code: string, message = 'failed'): Error =>
  Object.assign(new Error(message), { code });

const openLog = () => {
  const lines: { event: string; level: string; err: { message: string } }[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  return { lines, log: createLog({ service: 'ledger', level: 'info', destination: { write } }) };
};

/** Returns work that rejects with the errors, one per call, and then resolves. */
const failWith = (...errors: Error[]) => {
  const left = [...errors];
  return async (): Promise<string> => {
    const error = left.shift();
    if (error) throw error;
    return 'connected';
  };
};

describe('retryUntilDatabaseReady', () => {
  it.each<[string, Error]>([
    ['the connection is refused', withCode('ECONNREFUSED')],
    ['the host name is unknown', withCode('ENOTFOUND')],
    ['name resolution fails for the moment', withCode('EAI_AGAIN')],
    ['the server is starting', withCode('57P03')],
    ['the role is missing', withCode('28000')],
    ['the role is missing and a password is given', withCode('28P01')],
    ['the database is missing', withCode('3D000')],
    ['the schema is missing', new SchemaMissingError('ledger')],
    ['an error with such a cause is thrown', new Error('x', { cause: withCode('ECONNREFUSED') })],
  ])('retries while %s', async (_state, error) => {
    const { log, lines } = openLog();
    expect(await retryUntilDatabaseReady({ log }, failWith(error))).toBe('connected');
    expect(lines).toMatchObject([{ event: 'database_not_ready', level: 'warn' }]);
  });

  it('logs one line for all attempts', async () => {
    const { log, lines } = openLog();
    const work = failWith(withCode('ECONNREFUSED', 'first'), withCode('28P01'), withCode('3D000'));
    await retryUntilDatabaseReady({ log }, work);
    expect(lines).toMatchObject([{ err: { message: 'first' } }]);
  });

  it('rejects after the wait with a sentence that contains the last error', async () => {
    const refused = withCode('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:5432');
    const addresses = new AggregateError([refused, withCode('ECONNREFUSED', 'and ::1')]);
    const work = (): Promise<never> => Promise.reject(addresses);
    await expect(retryUntilDatabaseReady({ ...openLog(), waitMs: 10 }, work)).rejects.toMatchObject(
      {
        name: 'DatabaseNotReadyError',
        message:
          'PostgreSQL was not ready within 0.01 s: connect ECONNREFUSED 10.0.0.1:5432; and ::1',
      },
    );
  });

  it('rejects at once with any other error', async () => {
    const { log, lines } = openLog();
    const work = failWith(withCode('42601', 'syntax error'));
    await expect(retryUntilDatabaseReady({ log }, work)).rejects.toThrow('syntax error');
    expect(lines).toEqual([]);
  });
});
