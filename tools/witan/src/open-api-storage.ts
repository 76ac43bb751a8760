import { openStorage } from '@witan/api-gateway/storage/open-storage';
import { createLog } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { findDatabaseUrl } from '@witan/stack/postgres/service-database';
import { readCliConfig, readDatabaseUrl } from './config.ts';

/**
 * Time to wait for the database, in milliseconds. It is short, because these commands are usually
 * typed; in a pod, the network policies may take effect some seconds after the start.
 */
const WAIT_MS = 10_000;

/**
 * Opens the api-gateway's database from API_GATEWAY_DATABASE_URL, DATABASE_URL, or the system that
 * runs in WITAN_HOME.
 */
export const openApiStorage = async (): Promise<Database> => {
  const { home, databaseUrl } = readCliConfig();
  const given = readDatabaseUrl('api-gateway') ?? databaseUrl;
  const url = given ?? (await findDatabaseUrl(home, 'api-gateway'));
  if (!url) throw new Error(`No system runs in ${home}: start one, or set DATABASE_URL.`);
  const log = createLog({ service: 'witan', level: 'warn', destination: process.stderr });
  return await openStorage(url, log, { waitMs: WAIT_MS });
};
