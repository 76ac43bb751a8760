import { parseArgs } from 'node:util';
import { ConfigError } from '@witan/service-kit';
import { migrateSchema, SCHEMA_OWNERS } from '@witan/stack/migrate-schema';
import { databaseVariable, readCliConfig, readDatabaseUrl } from '../config.ts';
import { readWaitMs } from '../read-wait.ts';
import { UsageError } from '../usage.ts';

type MigratedService = { service: string; applied: readonly string[] };

/**
 * Runs `witan migrate SERVICE|all [--wait SECONDS] [--json]`, a job that runs before each release's
 * services start. One service is migrated at DATABASE_URL; `all` uses each service's own variable,
 * such as LEDGER_DATABASE_URL. Safe while replicas or other migrations run.
 */
export const runMigrate = async (argv: readonly string[]): Promise<number> => {
  const { target, isJson, waitMs } = parse(argv);
  const migrated: MigratedService[] = [];
  for (const [service, url] of findUrls(target)) {
    migrated.push({ service, applied: await migrate(service, url, waitMs) });
  }
  const lines = migrated.map(
    ({ service, applied }) => `${service}: ${applied.join(', ') || 'nothing to do'}`,
  );
  const text = isJson ? JSON.stringify({ migrated }, undefined, 2) : lines.join('\n');
  process.stdout.write(`${text}\n`);
  return 0;
};

type Request = { target: string; isJson: boolean; waitMs: number };

const parse = (argv: readonly string[]): Request => {
  const options = { json: { type: 'boolean' }, wait: { type: 'string' } } as const;
  try {
    const { positionals, values } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
    });
    const [target = '', ...rest] = positionals;
    if (rest.length > 0 || (target !== 'all' && !SCHEMA_OWNERS.includes(target))) {
      throw new Error(`witan migrate takes all, or one of ${SCHEMA_OWNERS.join(', ')}.`);
    }
    return { target, isJson: values.json === true, waitMs: readWaitMs(values.wait) };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const findUrls = (target: string): [service: string, url: string][] => {
  const { databaseUrl } = readCliConfig();
  if (target !== 'all') {
    if (databaseUrl === undefined) throw missingVariables(target, ['DATABASE_URL']);
    return [[target, databaseUrl]];
  }
  const found = SCHEMA_OWNERS.map((name) => [name, readDatabaseUrl(name)] as const);
  const missing = found.filter(([, url]) => url === undefined);
  if (missing.length > 0) {
    throw missingVariables(
      'all',
      missing.map(([service]) => databaseVariable(service)),
    );
  }
  return found.map(([service, url]) => [service, url!]);
};

const missingVariables = (target: string, names: readonly string[]): ConfigError =>
  new ConfigError(
    `witan migrate ${target}`,
    names.map((name) => `${name} is required`),
  );

const migrate = async (service: string, url: string, waitMs: number): Promise<string[]> => {
  try {
    return await migrateSchema(service, url, { waitMs });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${service} could not be migrated: ${reason}`, { cause });
  }
};
