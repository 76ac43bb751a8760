/** Which database server the tests run against, as the environment says. */
export type TestPostgresConfig = {
  /** A server for this run: what an outer run exported, or the given `DATABASE_URL`. */
  adminUrl?: string;
  wantsContainers: boolean;
};

const ADMIN_URL = 'WITAN_TEST_DATABASE_ADMIN_URL';
const TEMPLATE = 'WITAN_TEST_DATABASE_TEMPLATE';

/** Reads `WITAN_TEST_DATABASE_ADMIN_URL`, `DATABASE_URL` and `WITAN_TEST_CONTAINERS`. */
export function readTestPostgresConfig(): TestPostgresConfig {
  const given = process.env[ADMIN_URL] || process.env['DATABASE_URL'];
  return {
    adminUrl: given || undefined,
    wantsContainers: process.env['WITAN_TEST_CONTAINERS'] === '1',
  };
}

/**
 * Tells every worker that Jest starts from now on where the server is, and what the run's template
 * is called there.
 */
export function exportServer(url: string, template: string): void {
  process.env[ADMIN_URL] = url;
  process.env[TEMPLATE] = template;
}

/** The name of the run's template, whether or not it is there; undefined without a run. */
export const readTemplateName = (): string | undefined => process.env[TEMPLATE] || undefined;

/** The server's admin URL in a test. Throws when the run was started without the harness. */
export function getAdminUrl(): string {
  const { adminUrl } = readTestPostgresConfig();
  if (adminUrl !== undefined) return adminUrl;
  throw new Error(
    `No test database server: ${ADMIN_URL} is not set. Run Jest with the repository's ` +
      `jest.config.mjs, whose global set-up starts one, or set DATABASE_URL.`,
  );
}
