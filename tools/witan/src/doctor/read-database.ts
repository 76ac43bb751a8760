import { everyWorkspace, OUTBOX_STATE_SQL, toOutboxState } from '@witan/service-kit';
import type { OutboxState, OutboxStateRow } from '@witan/service-kit';
import { listMigrations } from '@witan/stack/migrate-schema';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { withoutCredentials } from './check.ts';
import type { DatabaseFacts, DatabaseState } from './judge-database.ts';

export type ServiceUrl = { service: string | undefined; url: string };

type Client = Parameters<Parameters<typeof withClient>[1]>[0];

const STATEMENT_TIMEOUT_MS = 10_000;

/** Logs in with the URL of a service and reads its state; changes nothing. Never rejects. */
export const readDatabase = async ({ service, url }: ServiceUrl): Promise<DatabaseFacts> => {
  if (!URL.canParse(url)) {
    const role = `role of ${service ?? 'DATABASE_URL'}`;
    return { service, role, place: 'an invalid URL', error: new Error('the URL is invalid') };
  }
  const { username } = new URL(url);
  const subject = { service, role: decodeURIComponent(username), place: withoutCredentials(url) };
  try {
    return { ...subject, ...(await withClient(url, (client) => readState(client, service))) };
  } catch (error) {
    return { ...subject, error };
  }
};

const readState = async (client: Client, service: string | undefined): Promise<DatabaseState> => {
  await client.query(`SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  await client.query('SELECT set_config($1, $2, false)', ['witan.scope', everyWorkspace.setting]);
  return {
    ...(await readServer(client)),
    clock: await readClock(client),
    migrations: {
      known: service === undefined ? [] : await listMigrations(service),
      applied: service === undefined ? [] : await readApplied(client, service),
    },
    outbox: service === undefined ? undefined : await readOutbox(client, service),
  };
};

const readServer = async (
  client: Client,
): Promise<Pick<DatabaseState, 'versionNumber' | 'connections' | 'durability'>> => {
  const { rows } = await client.query<Record<string, string>>(`
    SELECT current_setting('server_version_num') AS version,
      current_setting('max_connections') AS max,
      current_setting('superuser_reserved_connections')::int
        + coalesce(current_setting('reserved_connections', true)::int, 0) AS reserved,
      (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
      current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS full_page_writes,
      current_setting('synchronous_commit') AS synchronous_commit`);
  const row = rows[0]!;
  return {
    versionNumber: Number(row['version']),
    connections: {
      max: Number(row['max']),
      reserved: Number(row['reserved']),
      used: Number(row['used']),
    },
    durability: {
      fsync: row['fsync']!,
      fullPageWrites: row['full_page_writes']!,
      synchronousCommit: row['synchronous_commit']!,
    },
  };
};

const readClock = async (client: Client): Promise<DatabaseState['clock']> => {
  const sentAt = Date.now();
  const { rows } = await client.query<{ ms: string }>(
    'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms',
  );
  const uncertaintyMs = (Date.now() - sentAt) / 2;
  return { offsetMs: Number(rows[0]!.ms) - (sentAt + uncertaintyMs), uncertaintyMs };
};

const readApplied = async (client: Client, service: string): Promise<string[] | undefined> => {
  const table = `${client.escapeIdentifier(toSchema(service))}.migration`;
  if (!(await exists(client, table))) return undefined;
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${table} ORDER BY name`);
  return rows.map(({ name }) => name);
};

const readOutbox = async (client: Client, service: string): Promise<OutboxState | undefined> => {
  const schema = client.escapeIdentifier(toSchema(service));
  if (!(await exists(client, `${schema}.outbox`))) return undefined;
  await client.query(`SET search_path = ${schema}`);
  const { rows } = await client.query<OutboxStateRow>(OUTBOX_STATE_SQL);
  return toOutboxState(rows[0]!);
};

const exists = async (client: Client, table: string): Promise<boolean> => {
  const { rows } = await client.query('SELECT to_regclass($1) AS found', [table]);
  return rows[0].found !== null;
};

const toSchema = (service: string): string => service.replaceAll('-', '_');
