import { PostgresError } from './postgres-error.ts';

/** What to provision; names of services are kebab-case (`llm-gateway`). */
export type ProvisionRequest = {
  /** A superuser's, or that of a role with CREATEROLE and the right to create schemas. */
  adminUrl: string;
  services: readonly string[];
  /** The password of each service's role, by service. */
  secrets: Readonly<Record<string, string>>;
  /** Created if absent and provisioned; default the database of `adminUrl`. */
  database?: string;
  /** Roles are called `<prefix>_<service>`; default `witan`. Roles belong to the whole server. */
  rolePrefix?: string;
};

/** One service's part of a database. */
export type Tenant = {
  service: string;
  role: string;
  schema: string;
  password: string;
  url: string;
};

const SERVICE_NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** The names, and the URL with its password, of a service. Throws `invalid-request`. */
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

/** The same URL for another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}
