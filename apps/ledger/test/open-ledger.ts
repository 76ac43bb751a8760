import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callGraph } from '@witan/contracts/call-graph';
import { AccountService, CertificateService } from '@witan/contracts/services';
import {
  createClient,
  createInProcessTransport,
  createLog,
  startService,
} from '@witan/service-kit';
import type { Client, RunningService, Transport } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import type { Config } from '../src/config.ts';
import { createService } from '../src/service.ts';
import { openWriter } from './open-writer.ts';
import type { Writer } from './open-writer.ts';

export const ISSUER = 'witan-test';

export type LedgerFixture = AsyncDisposable & {
  database: TestDatabase;
  newKeyFile: () => Promise<string>;
};

export type TestLedger = AsyncDisposable & {
  accounts: Client<typeof AccountService>;
  certificates: Client<typeof CertificateService>;
  writer: Writer;
  openWriter: () => Writer;
  service: RunningService;
};

export const openLedgerFixture = async (): Promise<LedgerFixture> => {
  const database = await createTestDatabase(['ledger']);
  const directory = await mkdtemp(join(tmpdir(), 'witan-ledger-test-'));
  let keys = 0;
  return {
    database,
    newKeyFile: async () => {
      keys += 1;
      const file = join(directory, `signing-${keys}.pem`);
      const { privateKey } = generateKeyPairSync('ed25519');
      await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      return file;
    },
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** Interval longer than any test, so that sweeps and audits run only if a test configures them. */
const NEVER_MS = 600_000;
const DRAIN_MS = 2_000;

const DEFAULTS = {
  issuer: ISSUER,
  sweepIntervalMs: NEVER_MS,
  auditIntervalMs: NEVER_MS,
  isMetered: false,
  openingCredit: 0,
  prices: undefined,
  log: undefined,
};

export type LedgerOptions = Partial<Omit<Config, 'databaseUrl'>> & { signingKeyFile: string };

export const openLedger = async (
  fixture: LedgerFixture,
  options: LedgerOptions,
): Promise<TestLedger> => {
  const databaseUrl = fixture.database.urls.ledger!;
  const service = await startService({
    name: 'ledger',
    config: { ...DEFAULTS, databaseUrl, ...options },
    create: createService,
    callGraph,
    log: createLog({ service: 'ledger', level: 'silent' }),
    connect: () => {
      throw new Error('The ledger calls no other service.');
    },
    admin: { host: '127.0.0.1', port: 0 },
    drainMs: DRAIN_MS,
  });
  const connectAs = (caller: string): Transport =>
    createInProcessTransport({ caller, dispatcher: () => service.dispatcher });
  const reading = connectAs('api-gateway');
  const writing = connectAs('llm-gateway');
  const writer = openWriter(writing);
  return {
    accounts: createClient(AccountService, reading),
    certificates: createClient(CertificateService, reading),
    writer,
    openWriter: () => openWriter(writing),
    service,
    [Symbol.asyncDispose]: async () => {
      await writer.end();
      await service.stop();
    },
  };
};

export const optionsFor = (workspaceId: string) => ({ workspaceId, timeoutMs: 10_000 });
