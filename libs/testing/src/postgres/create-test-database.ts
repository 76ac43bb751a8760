import { toTenant, withDatabase } from '@witan/stack/postgres/database-tenant';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import { getAdminUrl, readTemplateName } from './config.ts';
import { ensureTemplate } from './ensure-template.ts';
import { dropTestDatabase, makeTestDatabase, newDatabaseName } from './make-test-database.ts';

/** A database of the test's own; disposing drops it, whoever is still connected. */
export type TestDatabase = AsyncDisposable & {
  name: string;
  /** By service, as its own role. */
  urls: Record<string, string>;
  /** The same database as the server's admin. */
  adminUrl: string;
};

type TestDatabaseOptions = {
  /** An admin's, of another server than the run's. */
  serverUrl?: string;
  /** The schemas have their tables already: a copy of one database that was migrated. */
  isMigrated?: boolean;
};

// Roles belong to the whole server, which may be somebody's (`DATABASE_URL`): the tests never
// touch the roles of a real system there. A constant password lets parallel tests share them.
const ROLE_PREFIX = 'witan_test';
const PASSWORD = 'witan-test';

/**
 * A fresh database with a role and a schema for each service, in about 60 ms, on the run's server
 * (or that of `serverUrl`, an admin's).
 */
export async function createTestDatabase(
  services: readonly string[],
  { serverUrl, isMigrated = false }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const adminUrl = serverUrl ?? getAdminUrl();
  const name = newDatabaseName();
  // Of another server nobody else wants a copy.
  const template = isMigrated && serverUrl === undefined ? readTemplateName() : undefined;
  if (template !== undefined) await ensureTemplate(adminUrl, template, toRequest);
  await makeTestDatabase(adminUrl, name, template);
  const drop = (): Promise<void> => dropTestDatabase(adminUrl, name);
  try {
    const whole = { ...toRequest(services), adminUrl, database: name };
    const urls =
      template === undefined
        ? await provisionDatabases(whole)
        : Object.fromEntries(services.map((one) => [one, toTenant(one, whole).url]));
    const own = withDatabase(adminUrl, name);
    return { name, urls, adminUrl: own, [Symbol.asyncDispose]: drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

const toRequest = (services: readonly string[]) => ({
  services,
  secrets: Object.fromEntries(services.map((service) => [service, PASSWORD])),
  rolePrefix: ROLE_PREFIX,
});
