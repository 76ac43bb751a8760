import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../postgres/error-code.ts';
import { toTenant } from '../postgres/database-tenant.ts';
import type { SystemFile } from './create-system.ts';

/**
 * The database URL of a service of the system that runs in `home`, with the service's own role.
 * Undefined when no system runs there.
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
