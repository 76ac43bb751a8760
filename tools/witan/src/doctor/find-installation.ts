import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Env } from '@witan/service-kit';
import type { SystemFile } from '@witan/stack';
import { SCHEMA_OWNERS } from '@witan/stack/migrate-schema';
import { findDatabaseUrl } from '@witan/stack/postgres/service-database';
import { readDatabaseUrl } from '../config.ts';
import { readSystem } from '../read-system.ts';
import { withoutCredentials } from './check.ts';
import type { ServiceUrl } from './read-database.ts';

/** Addresses and files of the installation that is checked. */
export type Installation = {
  /** Text for the first line of the report. */
  title: string;
  home: string;
  hasHome: boolean;
  /** True if only the API is known, so that nothing on this machine belongs to it. */
  isRemote: boolean;
  /** True if the services are configured by the environment, not by the home. */
  isConfigured: boolean;
  isRunning: boolean;
  databases: readonly ServiceUrl[];
  natsUrl: string | undefined;
  api: { baseUrl: string; apiKey: string | undefined } | undefined;
  adminUrls: Readonly<Record<string, string>>;
  /** The service whose environment this is; undefined if there are several, or none is known. */
  service: string | undefined;
  env: Env;
};

const ADMIN_PORT = '9090';

/**
 * Returns what the environment configures and, for the rest, what the home has. So the same command
 * checks a clone, the environment of a service or of all, and an API at a distance.
 */
export const findInstallation = async (env: Env): Promise<Installation> => {
  const home = resolve(env['WITAN_HOME']?.trim() || '.witan');
  const system = await readSystem(home);
  const configured = findConfiguredDatabases(env, system);
  const isConfigured = configured.length > 0;
  const api = findApi(env, isConfigured ? undefined : system);
  const hasHome = await exists(home);
  return {
    title: toTitle({ isConfigured, api, hasHome, home }),
    home,
    hasHome,
    isRemote: api !== undefined && !isConfigured && !hasHome,
    isConfigured,
    isRunning: !isConfigured && system !== undefined,
    databases: isConfigured ? configured : await findDatabasesOf(home, system),
    natsUrl: env['NATS_URL']?.trim() || (isConfigured ? undefined : (system?.natsUrl ?? undefined)),
    api,
    adminUrls: isConfigured ? findAdminUrl(env, configured) : (system?.adminUrls ?? {}),
    service: configured.length === 1 ? configured[0]!.service : undefined,
    env,
  };
};

const toTitle = (parts: {
  isConfigured: boolean;
  api: Installation['api'];
  hasHome: boolean;
  home: string;
}): string => {
  if (parts.isConfigured) return 'the services configured by the environment';
  if (parts.api && !parts.hasHome) return `the API at ${withoutCredentials(parts.api.baseUrl)}`;
  return `the system in ${parts.home}`;
};

/** Ignores a DATABASE_URL with which the running system was started: its role is an admin's. */
const findConfiguredDatabases = (env: Env, system: SystemFile | undefined): ServiceUrl[] => {
  const own = SCHEMA_OWNERS.flatMap((service) => {
    const url = readDatabaseUrl(service, env);
    return url === undefined ? [] : [{ service, url }];
  });
  const url = env['DATABASE_URL']?.trim();
  if (own.length > 0 || !url) return own;
  const service = serviceOf(url);
  return service === undefined && system ? [] : [{ service, url }];
};

/** Roles are named `<prefix>_<schema>`, for example `witan_llm_gateway`. */
const serviceOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined;
  const role = decodeURIComponent(new URL(url).username);
  return SCHEMA_OWNERS.find((service) => role.endsWith(`_${service.replaceAll('-', '_')}`));
};

const findDatabasesOf = async (
  home: string,
  system: SystemFile | undefined,
): Promise<ServiceUrl[]> => {
  if (!system) return [];
  const urls = SCHEMA_OWNERS.map(async (service) => {
    const url = await findDatabaseUrl(home, service);
    return url === undefined ? [] : [{ service, url }];
  });
  return (await Promise.all(urls)).flat();
};

const findApi = (env: Env, system: SystemFile | undefined): Installation['api'] => {
  const baseUrl = env['WITAN_BASE_URL']?.trim();
  const apiKey = env['WITAN_API_KEY']?.trim();
  if (baseUrl) return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey: apiKey || undefined };
  return system && { baseUrl: system.baseUrl, apiKey: apiKey || system.apiKey };
};

const findAdminUrl = (env: Env, databases: readonly ServiceUrl[]): Record<string, string> => {
  const port = env['ADMIN_PORT']?.trim() || ADMIN_PORT;
  const [first, ...others] = databases;
  const name = others.length > 0 ? 'all' : (first?.service ?? 'service');
  return { [name]: `http://127.0.0.1:${port}` };
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
