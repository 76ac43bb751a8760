import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, PostgresError } from './postgres-error.ts';

export type ProvisionRequest = {
  adminUrl: string;
  services: readonly string[];
  secrets: Readonly<Record<string, string>>;
  database?: string;
  /**
   * Roles are named `<prefix>_<service>`. All databases of the server share them. Defaults to
   * `witan`.
   */
  rolePrefix?: string;
};

/** The role and schema of one service, and the URL with which the service connects. */
export type ServiceDatabase = {
  service: string;
  role: string;
  schema: string;
  password: string;
  url: string;
};

const SERVICE_NAME = /^[a-z][a-z0-9-]{0,39}$/;

export function toServiceDatabase(service: string, request: ProvisionRequest): ServiceDatabase {
  const password = request.secrets[service];
  if (!SERVICE_NAME.test(service) || password === undefined || password === '') {
    const what = SERVICE_NAME.test(service) ? 'has no password' : 'is not a kebab-case name';
    throw new PostgresError('invalid-request', `The service "${service}" ${what}.`);
  }
  const schema = service.replaceAll('-', '_');
  const role = `${request.rolePrefix ?? 'witan'}_${schema}`;
  const url = new URL(
    request.database === undefined
      ? request.adminUrl
      : withDatabase(request.adminUrl, request.database),
  );
  url.username = role;
  url.password = encodeURIComponent(password);
  return { service, role, schema, password, url: url.href };
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/**
 * Returns the database URL of a service, with the service's role, in the system that runs in
 * `home`. Returns undefined if `system.json` or the service's password is missing.
 */
export const findDatabaseUrl = async (
  home: string,
  service: string,
): Promise<string | undefined> => {
  try {
    const system = JSON.parse(await readFile(join(home, 'system.json'), 'utf8')) as {
      databaseUrl: string;
    };
    const password = await readFile(join(home, 'secrets', `database-${service}`), 'utf8');
    const request = {
      adminUrl: system.databaseUrl,
      services: [service],
      secrets: { [service]: password },
    };
    return toServiceDatabase(service, request).url;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};
