import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@witan/service-kit';
import { createSystem } from '@witan/stack';
import type { SystemFile, SystemOptions } from '@witan/stack';
import { SCHEMA_OWNERS } from '@witan/stack/migrate-schema';
import { readTestPath } from './config.ts';
import { NATS_MISSING } from './nats/open-test-nats.ts';
import { createTestDatabase } from './postgres/create-test-database.ts';

export type TestSystem = AsyncDisposable &
  SystemFile & {
    home: string;
    logLines: string[];
    databaseUrls: Readonly<Record<string, string>>;
    /** Stops the named service. Returns a function that starts it again. */
    interrupt: (service: string) => Promise<() => Promise<void>>;
  };

export type TestSystemOptions = {
  transport?: 'in-process' | 'grpc';
  /**
   * Environment of the system in addition to PORT and, with `nats`, PATH. The system does not
   * inherit variables of the test process.
   */
  env?: Readonly<Record<string, string>>;
  /**
   * Admin URL of a database server that the test may kill. By default the system uses the server
   * that all tests of the run share.
   */
  postgresUrl?: string;
  /**
   * Starts a private nats-server for the system. Throws if `NATS_MISSING` is set. If false, events
   * stay within the process, unless `env` sets `NATS_URL` or a `PATH` with a nats-server.
   */
  nats?: boolean;
  exporter?: SystemOptions['exporter'];
  hasCouncil?: boolean;
};

export const openTestSystem = async (options: TestSystemOptions = {}): Promise<TestSystem> => {
  const { postgresUrl: serverUrl, nats = false, hasCouncil = false } = options;
  if (nats && NATS_MISSING !== undefined) throw new Error(NATS_MISSING);
  const serverOption = serverUrl ? { serverUrl } : {};
  const database = await createTestDatabase(SCHEMA_OWNERS, { ...serverOption, isMigrated: true });
  const home = await mkdtemp(join(tmpdir(), 'witan-test-'));
  const logLines: string[] = [];
  const destination = { write: (line: string) => void logLines.push(line) };
  const discard = async (): Promise<void> => {
    await database[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  };
  const system = await createSystem({
    home,
    // PATH is set only with `nats`, because the system starts a broker if it finds a nats-server in
    // PATH.
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
