import { parseArgs } from 'node:util';
import { callGraph } from '@witan/contracts/call-graph';
import { ConfigError, createLog, retryUntilDatabaseReady } from '@witan/service-kit';
import { toServiceDatabase } from '@witan/stack/postgres/service-database';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import { databaseVariable, readCliConfig, readDatabaseUrl } from '../config.ts';
import { readWaitMs } from '../read-wait.ts';
import { UsageError } from '../usage.ts';

/**
 * Runs `witan provision [--wait SECONDS]`: creates each service's schema and role, with the
 * password of the service's URL. DATABASE_URL names the database; its user must be able to create
 * roles and schemas. Idempotent; replaces changed passwords.
 */
export const runProvision = async (argv: readonly string[]): Promise<number> => {
  const waitMs = parse(argv);
  const errors: string[] = [];
  const adminUrl = readCliConfig().databaseUrl;
  if (!adminUrl || !URL.canParse(adminUrl)) errors.push('DATABASE_URL must be a URL of an admin');
  const services = Object.keys(callGraph);
  const secrets: Record<string, string> = {};
  for (const service of services) {
    const found = readPassword(service, adminUrl ?? '');
    if ('error' in found) errors.push(found.error);
    else secrets[service] = found.password;
  }
  if (errors.length > 0) throw new ConfigError('witan provision', errors);
  const log = createLog({ service: 'witan', level: 'warn', destination: process.stderr });
  await retryUntilDatabaseReady({ log, waitMs }, () =>
    provisionDatabases({ adminUrl: adminUrl!, services, secrets }),
  );
  process.stdout.write(`Roles and schemas are there: ${services.join(', ')}.\n`);
  return 0;
};

const parse = (argv: readonly string[]): number => {
  try {
    const { values } = parseArgs({ args: [...argv], options: { wait: { type: 'string' } } });
    return readWaitMs(values.wait);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const readPassword = (
  service: string,
  adminUrl: string,
): { password: string } | { error: string } => {
  const variable = databaseVariable(service);
  const text = readDatabaseUrl(service);
  if (text === undefined) return { error: `${variable} is required` };
  if (!URL.canParse(text)) return { error: `${variable} is not a URL` };
  const url = new URL(text);
  const password = decodeURIComponent(url.password);
  if (password === '') return { error: `${variable} has no password` };
  if (!URL.canParse(adminUrl)) return { password };
  const secrets = { [service]: password };
  const { role } = toServiceDatabase(service, { adminUrl, services: [service], secrets });
  if (url.username !== role) return { error: `${variable} must have the user ${role}` };
  if (url.pathname !== new URL(adminUrl).pathname) {
    return { error: `${variable} must name the database of DATABASE_URL` };
  }
  return { password };
};
