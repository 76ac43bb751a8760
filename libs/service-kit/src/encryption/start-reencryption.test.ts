import { describe, expect, it } from '@jest/globals';
import type { Database } from '../database/open-database.ts';
import { createLog } from '../log/create-log.ts';
import { createSecretCipher } from './secret-cipher.ts';
import { startReencryption } from './start-reencryption.ts';

const [A, B] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

/** Returns the numbers of rows that a pass over a table of 5 rows reads at once. */
const readLimits = async (batchRows?: number): Promise<unknown[]> => {
  const secret = createSecretCipher(A!).encrypt('a secret', 'ctx');
  const rows = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ workspaceId: 'ws', key, secret }));
  const limits: unknown[] = [];
  const execute = async (sql: string, values: string[]): Promise<object[]> => {
    if (!sql.includes('SELECT')) return [{}];
    const [, lastKey, limit] = values;
    limits.push(limit);
    return rows.filter(({ key }) => key > lastKey!).slice(0, Number(limit));
  };
  const database = {
    scoped: (_scope: unknown, run: (em: object) => unknown) => run({ execute }),
  } as unknown as Database;
  const lines: string[] = [];
  const finished = Promise.withResolvers<void>();
  const write = (line: string): void => {
    lines.push(line);
    finished.resolve();
  };
  const { stop } = startReencryption(database, createSecretCipher(`${B},${A}`), {
    ...{ table: 'note', key: 'id', columns: ['secret'], contextOf: () => 'ctx' },
    ...(batchRows !== undefined && { batchRows }),
    log: createLog({ service: 'test', level: 'info', destination: { write } }),
  });
  await finished.promise;
  await stop();
  expect(JSON.parse(lines[0]!)).toMatchObject({
    event: 'secrets_reencryption_finished',
    reencrypted: rows.length,
  });
  return limits;
};

describe('a pass of reencryption', () => {
  it('reads as many rows at once as the table permits', async () => {
    expect(await readLimits()).toEqual([500]);
    expect(await readLimits(2)).toEqual([2, 2, 2]);
  });
});
