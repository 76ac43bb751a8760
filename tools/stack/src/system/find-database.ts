import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../postgres/postgres-error.ts';
import { toTenant } from '../postgres/database-tenant.ts';
import type { SystemFile } from './create-system.ts';

/**
 * Returns the database URL of a service, with the service's role, in the system that runs in
 * `home`. Returns undefined if no system runs.
 */
export const findDatabaseUrl = async (
  home: string,
  service: string,
): Promise<string | undefined> => {
  try {
    const system = JSON.parse(await readFile(join(home, 'system.json'), 'utf8')) as SystemFile;
    const password = await readFile(join(home, 'secrets', `database-${service}`), 'utf8');
    const request = {
      adminUrl: system.databaseUrl,
      services: [service],
      secrets: { [service]: password },
    };
    return toTenant(service, request).url;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};
