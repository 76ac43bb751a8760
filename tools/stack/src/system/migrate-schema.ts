import { createLog, openDatabase } from '@witan/service-kit';

type Migrations = Parameters<typeof openDatabase>[0]['migrations'];

/** Each service's schema; loaded when it is migrated. */
const SCHEMAS: Readonly<Record<string, () => Promise<{ MIGRATIONS: Migrations }>>> = {
  ledger: () => import('@witan/ledger/migrations'),
  'llm-gateway': () => import('@witan/llm-gateway/migrations'),
  notifier: () => import('@witan/notifier/migrations'),
  agents: () => import('@witan/agents/migrations'),
  simulation: () => import('@witan/simulation/migrations'),
  'api-gateway': () => import('@witan/api-gateway/migrations'),
};

/** The services that have a schema. */
export const SCHEMA_OWNERS: readonly string[] = Object.keys(SCHEMAS);

/** Brings a service's schema up to this release, as its own role; answers what was applied. */
export const migrateSchema = async (service: string, url: string): Promise<string[]> => {
  const { MIGRATIONS: migrations } = await SCHEMAS[service]!();
  const applied: string[] = [];
  const log = {
    ...createLog({ service, level: 'error' }),
    info: (fields: { migrations?: string[] }) => void applied.push(...(fields.migrations ?? [])),
  };
  const schema = service.replaceAll('-', '_');
  const database = await openDatabase({ url, schema, entities: [], migrations, log });
  await database[Symbol.asyncDispose]();
  return applied;
};
