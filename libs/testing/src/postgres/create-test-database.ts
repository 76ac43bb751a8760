import { toTenant, withDatabase } from '@witan/stack/postgres/database-tenant';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import { getAdminUrl, readTemplateName } from './config.ts';
import { ensureTemplate } from './ensure-template.ts';
import { dropTestDatabase, makeTestDatabase, newDatabaseName } from './make-test-database.ts';

export type TestDatabase = AsyncDisposable & {
  name: string;
  urls: Record<string, string>;
  adminUrl: string;
};

type TestDatabaseOptions = {
  serverUrl?: string;
  /**
   * Copies a migrated template database, so that the tables of all schemas exist. Has no effect on
   * a private server (`serverUrl`).
   */
  isMigrated?: boolean;
};

// Protects the roles of a real system that may use the same server (`DATABASE_URL`), because roles
// belong to the whole server. The password is constant, so that parallel tests can share the roles.
const ROLE_PREFIX = 'witan_test';
const PASSWORD = 'witan-test';

export async function createTestDatabase(
  services: readonly string[],
  { serverUrl, isMigrated = false }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const adminUrl = serverUrl ?? getAdminUrl();
  const name = newDatabaseName();
  // A private server gets no template, because a template would be used only once there.
  const template = isMigrated && serverUrl === undefined ? readTemplateName() : undefined;
  if (template !== undefined) await ensureTemplate(adminUrl, template, toProvisioning);
  await makeTestDatabase(adminUrl, name, template);
  const drop = (): Promise<void> => dropTestDatabase(adminUrl, name);
  try {
    const request = { ...toProvisioning(services), adminUrl, database: name };
    const urls =
      template === undefined
        ? await provisionDatabases(request)
        : Object.fromEntries(services.map((one) => [one, toTenant(one, request).url]));
    const ownAdminUrl = withDatabase(adminUrl, name);
    return { name, urls, adminUrl: ownAdminUrl, [Symbol.asyncDispose]: drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

const toProvisioning = (services: readonly string[]) => ({
  services,
  secrets: Object.fromEntries(services.map((service) => [service, PASSWORD])),
  rolePrefix: ROLE_PREFIX,
});
