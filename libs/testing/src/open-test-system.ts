import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@witan/service-kit';
import { createSystem } from '@witan/stack';
import type { SystemFile, SystemOptions } from '@witan/stack';
import { SCHEMA_OWNERS } from '@witan/stack/migrate-schema';
import { readTestPath } from './nats/config.ts';
import { NATS_MISSING } from './nats/open-test-nats.ts';
import { createTestDatabase } from './postgres/create-test-database.ts';

/** A whole system of its own: fresh database, fresh home, free port. */
export type TestSystem = AsyncDisposable &
  SystemFile & {
    /** The state directory. */
    home: string;
    /** Every line that any service logged, at debug level. */
    logLines: string[];
    /** The URL of each service's own database role. */
    databaseUrls: Readonly<Record<string, string>>;
    /** Takes a service away; the answer brings it back. */
    interrupt: (service: string) => Promise<() => Promise<void>>;
  };

export type TestSystemOptions = {
  /** How services of the one process call each other. */
  transport?: 'in-process' | 'grpc';
  /** For example OPENAI_BASE_URL; nothing else of the test's own environment reaches the system. */
  env?: Readonly<Record<string, string>>;
  /** An admin's URL of another server than the run's: one that the test may kill. */
  postgresUrl?: string;
  /**
   * True gives the system a nats-server of its own, as `npm start` has one; without it there is no
   * broker, unless `env` names one as `NATS_URL`. Where `NATS_MISSING` says why there is none, a
   * test that wants one must skip.
   */
  nats?: boolean;
  /** Takes the spans of the system; they are exported when `env` says so. */
  exporter?: SystemOptions['exporter'];
  /** Gives the seeded workspace its council, as `npm start` does. */
  hasCouncil?: boolean;
};

/** Brings up a standalone system as `npm start` does, with the run's PostgreSQL. */
export const openTestSystem = async (options: TestSystemOptions = {}): Promise<TestSystem> => {
  const { postgresUrl: serverUrl, nats = false, hasCouncil = false } = options;
  if (nats && NATS_MISSING !== undefined) throw new Error(NATS_MISSING);
  const place = serverUrl ? { serverUrl } : {};
  const database = await createTestDatabase(SCHEMA_OWNERS, { ...place, isMigrated: true });
  const home = await mkdtemp(join(tmpdir(), 'witan-test-'));
  const logLines: string[] = [];
  const destination = { write: (line: string) => void logLines.push(line) };
  const discard = async (): Promise<void> => {
    await database[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  };
  const system = await createSystem({
    home,
    // A system without a PATH looks for no nats-server.
    env: { PORT: '0', ...(nats ? { PATH: readTestPath() } : {}), ...options.env },
    mode: 'standalone',
    transport: options.transport ?? 'in-process',
    databases: database,
    hasCouncil,
    createLogFor: (service) => createLog({ service, level: 'debug', destination }),
    ...(options.exporter ? { exporter: options.exporter } : {}),
  }).catch(async (error: unknown) => {
    await discard();
    throw error;
  });
  return {
    ...system.file(),
    home,
    logLines,
    databaseUrls: database.urls,
    interrupt: system.interrupt!,
    [Symbol.asyncDispose]: async () => {
      await system.stop();
      await discard();
    },
  };
};
