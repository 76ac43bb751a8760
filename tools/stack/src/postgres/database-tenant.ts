import { PostgresError } from './postgres-error.ts';

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

export type Tenant = {
  service: string;
  role: string;
  schema: string;
  password: string;
  url: string;
};

const SERVICE_NAME = /^[a-z][a-z0-9-]{0,39}$/;

export function toTenant(service: string, request: ProvisionRequest): Tenant {
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
