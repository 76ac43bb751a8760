import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres } from '../database.ts';
import type { Postgres } from '../database.ts';
import { meteringEnv } from '../metering.ts';
import type { Metering } from '../metering.ts';
import { createKeyPair, openService } from '../program/open-service.ts';
import type { ServiceUnderTest } from '../program/open-service.ts';

export type LedgerUnderTest = ServiceUnderTest<object> & { postgres: Postgres };

export type LedgerOptions = { stateDir: string; metering: Metering; profileDir?: string };

/**
 * Starts PostgreSQL and the ledger. Its caller is the llm-gateway, the only service that writes.
 */
export const openLedger = async (
  { stateDir, metering, profileDir }: LedgerOptions,
  resources: AsyncDisposableStack,
): Promise<LedgerUnderTest> => {
  const postgres = await openPostgres({ stateDir, services: ['ledger'] }, resources);
  const signingKeyFile = join(stateDir, 'signing.pem');
  await writeFile(signingKeyFile, createKeyPair().privateKey, { mode: 0o600 });
  const env = {
    ...meteringEnv(metering),
    DATABASE_URL: postgres.urls['ledger']!,
    WITAN_SIGNING_KEY_FILE: signingKeyFile,
  };
  const options = { service: 'ledger', caller: 'llm-gateway', stateDir, env, profileDir } as const;
  return { ...(await openService(options, resources)), postgres };
};
