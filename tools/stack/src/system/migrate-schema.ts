import { createLog, openDatabase } from '@witan/service-kit';

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

/** Applies the pending migrations of a service and returns their names. */
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
