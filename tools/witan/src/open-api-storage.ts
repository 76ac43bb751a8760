import { openStorage } from '@witan/api-gateway/storage/open-storage';
import { createLog } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { findDatabaseUrl } from '@witan/stack/system/find-database';
import { readCliConfig } from './config.ts';

/** The api-gateway's tables: of the system that runs in WITAN_HOME, or behind DATABASE_URL. */
export const openApiStorage = async (): Promise<Database> => {
  const { home, databaseUrl } = readCliConfig();
  const url = databaseUrl ?? (await findDatabaseUrl(home, 'api-gateway'));
  if (!url) throw new Error(`No system runs in ${home}: start one, or set DATABASE_URL.`);
  return await openStorage(url, createLog({ service: 'witan', level: 'error' }));
};
