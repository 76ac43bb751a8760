import { createLog, openDatabase } from '@witan/service-kit';
import type { Log } from '@witan/service-kit';

type Migrations = Parameters<typeof openDatabase>[0]['migrations'];

const SCHEMAS: Readonly<Record<string, () => Promise<{ MIGRATIONS: Migrations }>>> = {
  ledger: () => import('@witan/ledger/migrations'),
  'llm-gateway': () => import('@witan/llm-gateway/migrations'),
  notifier: () => import('@witan/notifier/migrations'),
  agents: () => import('@witan/agents/migrations'),
  simulation: () => import('@witan/simulation/migrations'),
  'api-gateway': () => import('@witan/api-gateway/migrations'),
};

export const SCHEMA_OWNERS: readonly string[] = Object.keys(SCHEMAS);

/** Returns the names of the migrations that this release has for the schema of a service. */
export const listMigrations = async (service: string): Promise<string[]> =>
  (await SCHEMAS[service]!()).MIGRATIONS.map(({ name }) => name);

/**
 * Applies the pending migrations of a service and returns their names. Waits up to `waitMs` for the
 * database, and logs to stderr that it waits.
 */
export const migrateSchema = async (
  service: string,
  url: string,
  limits: { waitMs?: number } = {},
): Promise<string[]> => {
  const { MIGRATIONS: migrations } = await SCHEMAS[service]!();
  const applied: string[] = [];
  const stderr = createLog({ service, level: 'warn', destination: process.stderr });
  const log: Log = {
    debug: () => {},
    info: (fields: { migrations?: string[] }) => void applied.push(...(fields.migrations ?? [])),
    warn: (fields, message) => stderr.warn(fields, message),
    error: (fields, message) => stderr.error(fields, message),
  };
  const schema = service.replaceAll('-', '_');
  const options = { url, schema, entities: [], migrations, log, ...limits };
  const database = await openDatabase(options);
  await database[Symbol.asyncDispose]();
  return applied;
};
