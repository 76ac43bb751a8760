import { parseArgs } from 'node:util';
import { republishEvents } from '@witan/service-kit';
import { findDatabaseUrl } from '@witan/stack/postgres/service-database';
import { readCliConfig } from '../config.ts';
import { readSystem } from '../read-system.ts';
import { UsageError } from '../usage.ts';

const ADVICE = 'witan republish takes --since TIMESTAMP, for example 2030-01-31T00:00:00Z';

/** `facts` is the number of requeued events; `service` is null if DATABASE_URL is used. */
type RepublishedEvents = { service: string | null; facts: number };

/**
 * Runs `witan republish --since TIMESTAMP [--json]`: requeues the published and dead events that
 * were created since TIMESTAMP, so that the relay publishes them again with the same ids. Consumers
 * drop duplicates.
 */
export const runRepublish = async (argv: readonly string[]): Promise<number> => {
  const { since, isJson } = parse(argv);
  const { home, databaseUrl } = readCliConfig();
  const found = databaseUrl
    ? await republishAll([[null, databaseUrl]], since)
    : await republishAll(await findDatabases(home), since);
  if (databaseUrl && found.length === 0) {
    throw new Error('DATABASE_URL shows no outbox: it must be that of the service that publishes.');
  }
  const lines = found.map(({ service, facts: count }) => `${service ?? 'outbox'}  ${count} facts`);
  const text = isJson ? JSON.stringify({ republished: found }, undefined, 2) : lines.join('\n');
  process.stdout.write(`${text || 'No service of this system has an outbox.'}\n`);
  return 0;
};

const parse = (argv: readonly string[]): { since: Date; isJson: boolean } => {
  const options = { since: { type: 'string' }, json: { type: 'boolean' } } as const;
  try {
    const { values } = parseArgs({ args: [...argv], options });
    const since = new Date(values.since ?? '');
    if (Number.isNaN(since.getTime())) throw new Error(`${ADVICE}.`);
    return { since, isJson: values.json === true };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

type ServiceDatabase = readonly [service: string | null, databaseUrl: string];

const findDatabases = async (home: string): Promise<ServiceDatabase[]> => {
  const system = await readSystem(home);
  if (!system) throw new Error(`No system runs in ${home}: start one, or set DATABASE_URL.`);
  const databases: ServiceDatabase[] = [];
  for (const service of Object.keys(system.adminUrls)) {
    const url = await findDatabaseUrl(home, service);
    if (url) databases.push([service, url]);
  }
  return databases;
};

const republishAll = async (
  databases: readonly ServiceDatabase[],
  since: Date,
): Promise<RepublishedEvents[]> => {
  const found: RepublishedEvents[] = [];
  for (const [service, url] of databases) {
    const count = await republishEvents(url, since);
    if (count !== undefined) found.push({ service, facts: count });
  }
  return found;
};
