import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { LogConfig } from '../src/log/log-config.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

const ORIGIN = 'log.witan.test/ledger';

describe('the configuration of the log', () => {
  let fixture: LedgerFixture;
  let signingKeyFile: string;
  let admin: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    signingKeyFile = await fixture.newKeyFile();
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await fixture[Symbol.asyncDispose]();
  });

  const openWith = (log: Partial<LogConfig> & { keyFile: string }): Promise<TestLedger> =>
    openLedger(fixture, {
      signingKeyFile,
      log: {
        ...{ origin: ORIGIN, intervalMs: 600_000, isCover: false },
        ...{ policy: undefined, anchorFile: undefined },
        ...log,
      },
    });
  const readOrigins = async (): Promise<string[]> => {
    const { rows } = await admin.query<{ origin: string }>(
      'SELECT origin FROM ledger.log_identity',
    );
    return rows.map(({ origin }) => origin);
  };

  it('is refused with its variable before the origin is stored', async () => {
    const broken = await fixture.newKeyFile();
    await writeFile(broken, '-----BEGIN PRIVATE KEY-----\nMAAA\n-----END PRIVATE KEY-----\n');
    const absent = openWith({ keyFile: '/nonexistent/log-key.pem' });
    await expect(absent).rejects.toThrow('WITAN_LOG_KEY_FILE, ');
    await expect(openWith({ keyFile: broken })).rejects.toThrow('WITAN_LOG_KEY_FILE, ');
    const keyFile = await fixture.newKeyFile();
    const policy = 'quorum none\n';
    const lacking = openWith({ keyFile, policy });
    await expect(lacking).rejects.toThrow('WITAN_LOG_POLICY_FILE lacks lines');
    expect(await readOrigins()).toEqual([]);
    const opened = await openWith({ keyFile });
    expect(await readOrigins()).toEqual([ORIGIN]);
    await opened[Symbol.asyncDispose]();
  });
});
