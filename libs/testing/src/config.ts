export type TestPostgresConfig = {
  adminUrl?: string;
  wantsContainers: boolean;
};

const ADMIN_URL = 'WITAN_TEST_DATABASE_ADMIN_URL';
const TEMPLATE = 'WITAN_TEST_DATABASE_TEMPLATE';

export function readTestPostgresConfig(): TestPostgresConfig {
  const given = process.env[ADMIN_URL] || process.env['DATABASE_URL'];
  return {
    adminUrl: given || undefined,
    wantsContainers: process.env['WITAN_TEST_CONTAINERS'] === '1',
  };
}

/**
 * Sets the environment variables by which Jest's workers get the URL of the server and the name of
 * the template database.
 */
export function exportServer(url: string, template: string): void {
  process.env[ADMIN_URL] = url;
  process.env[TEMPLATE] = template;
}

/**
 * Returns the name of the run's template database, or undefined if the run has no template. The
 * database may not exist yet.
 */
export const readTemplateName = (): string | undefined => process.env[TEMPLATE] || undefined;

/**
 * Returns the admin URL of the run's database server. Throws if neither the global set-up nor the
 * environment of the run has set one.
 */
export function getAdminUrl(): string {
  const { adminUrl } = readTestPostgresConfig();
  if (adminUrl !== undefined) return adminUrl;
  throw new Error(
    `No test database server: ${ADMIN_URL} is not set. Run Jest with the repository's ` +
      `jest.config.mjs, whose global set-up starts one, or set DATABASE_URL.`,
  );
}

export const readTestPath = (): string => process.env['PATH'] ?? '';
