import type { OutboxState } from '@witan/service-kit';
import { describeError, fail, ok, warn } from './check.ts';
import type { Check } from './check.ts';
import { judgeOffset } from './judge-clock.ts';

/** What one service's log-in to its database shows. */
export type DatabaseFacts = {
  /** Undefined if the role of the URL is not that of a service, such as an admin's. */
  service: string | undefined;
  /** Host, port and database, without credentials. */
  place: string;
  role: string;
} & ({ error: unknown } | DatabaseState);

export type DatabaseState = {
  versionNumber: number;
  connections: { max: number; reserved: number; used: number };
  /** Time of the server minus time of this machine, and its uncertainty, in milliseconds. */
  clock: { offsetMs: number; uncertaintyMs: number };
  durability: { fsync: string; fullPageWrites: string; synchronousCommit: string };
  /** Names of the migrations of this release, and of those that are applied. */
  migrations: { known: readonly string[]; applied: readonly string[] | undefined };
  outbox: OutboxState | undefined;
};

/** SQLSTATE codes and codes of Node, each with what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL, or correct host and port of the URL.',
  ENOTFOUND: 'Correct the host name of the URL, or the name resolution.',
  EAI_AGAIN: 'Correct the host name of the URL, or the name resolution.',
  ETIMEDOUT: 'Check firewalls and network policies between here and PostgreSQL.',
  '28P01': 'The role is missing or has another password: run `witan provision`.',
  '28000': 'The role may not log in: run `witan provision`, or correct pg_hba.conf.',
  '3D000': 'The database is missing: create it, then run `witan provision`.',
  '53300': 'Every connection is in use: raise max_connections, or run fewer replicas.',
  '57P03': 'PostgreSQL is starting or stopping: wait and run this again.',
};

/** Version that images, tests and `npm start` use. */
const TESTED_MAJOR = 18;
/** Connections that a service may open: the pools of the ORM and of `pg`, and one to migrate. */
const CONNECTIONS_OF_SERVICE = 11;
/** Age of the oldest waiting event from which events are late. */
const LATE_SECONDS = 60;

/** Judges what each service has by itself: its log-in, migrations and outbox. */
export const judgeServiceDatabase = (facts: DatabaseFacts): Check[] => {
  const name = `database ${facts.service ?? facts.role}`;
  const { place, role } = facts;
  if ('error' in facts) {
    const message = `${role} cannot log in to ${place}: ${describeError(facts.error)}.`;
    return [fail(name, { message, advice: adviceFor(facts.error) })];
  }
  if (facts.service === undefined) return [ok(name, `${role} logs in to ${place}`)];
  return [judgeMigrations(name, facts), ...judgeOutbox(facts.service, facts.outbox)];
};

const adviceFor = (error: unknown): string => {
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const codes = errors.map((one) => (one as { code?: unknown }).code);
  const code = codes.find((one) => typeof one === 'string' && one in ADVICE);
  return ADVICE[String(code)] ?? 'Check the URL of the database and the log of PostgreSQL.';
};

const judgeMigrations = (
  name: string,
  { migrations: { known, applied }, service, role, place }: DatabaseFacts & DatabaseState,
): Check => {
  const migrate = `Run \`witan migrate ${service}\`, or start the service, which migrates.`;
  if (applied === undefined) {
    const message = `${role} logs in to ${place}, but its schema has no tables.`;
    return fail(name, { message, advice: migrate });
  }
  const pending = known.filter((one) => !applied.includes(one));
  if (pending.length > 0) {
    const message = `${pending.length} migrations are pending: ${pending.join(', ')}.`;
    return fail(name, { message, advice: migrate });
  }
  const unknown = applied.filter((one) => !known.includes(one));
  if (unknown.length > 0) {
    const message = `A newer release has migrated it: ${unknown.join(', ')}.`;
    return warn(name, { message, advice: 'Use that release, unless an upgrade is in progress.' });
  }
  return ok(name, `${role} at ${place}, ${applied.length} migrations`);
};

const judgeOutbox = (service: string, outbox: OutboxState | undefined): Check[] => {
  if (outbox === undefined) return [];
  const name = `outbox ${service}`;
  const { waiting, dead, oldestSeconds } = outbox;
  const age = Math.round(oldestSeconds);
  const text = `${waiting} events wait, the oldest for ${age} s; ${dead} dead`;
  if (dead > 0) {
    const advice =
      'The log has `event_rejected_by_broker` with the reason; once it is fixed, run ' +
      '`witan republish --since TIMESTAMP`.';
    return [warn(name, { message: `${text}.`, advice })];
  }
  if (oldestSeconds > LATE_SECONDS) {
    const advice = 'Check the broker and that the service runs: its relay publishes events.';
    return [warn(name, { message: `${text}.`, advice })];
  }
  return [ok(name, text)];
};

/** Judges a server of PostgreSQL by what one of its log-ins shows. */
export const judgeServer = (
  facts: DatabaseState & { place: string },
  serviceCount: number,
): Check[] => [
  judgeVersion(facts),
  judgeConnections(facts.connections, serviceCount),
  judgeDurability(facts.durability),
  judgeOffset('database clock', { ...facts.clock, of: 'PostgreSQL' }),
];

const judgeVersion = ({ versionNumber, place }: DatabaseState & { place: string }): Check => {
  const name = 'database version';
  const [major, minor] = [Math.floor(versionNumber / 10_000), versionNumber % 10_000];
  const text = `PostgreSQL ${major}.${minor} at ${place}`;
  if (major >= TESTED_MAJOR) return ok(name, text);
  const advice = `Witan is tested with PostgreSQL ${TESTED_MAJOR}: upgrade the server.`;
  return warn(name, { message: `${text}.`, advice });
};

const judgeConnections = (
  { max, reserved, used }: DatabaseState['connections'],
  serviceCount: number,
): Check => {
  const name = 'database connections';
  const free = max - reserved - used;
  const wanted = serviceCount * CONNECTIONS_OF_SERVICE;
  const text = `${used} of ${max - reserved} connections in use`;
  if (free <= 0) {
    const advice = 'Raise max_connections, or stop other clients.';
    return fail(name, { message: `${text}: none is free.`, advice });
  }
  if (max - reserved < wanted) {
    const message = `${text}; the services may open ${wanted} and more with replicas.`;
    return warn(name, {
      message,
      advice: `Raise max_connections to at least ${wanted + reserved}.`,
    });
  }
  return ok(name, text);
};

const judgeDurability = (settings: DatabaseState['durability']): Check => {
  const name = 'database durability';
  const { fsync, fullPageWrites, synchronousCommit } = settings;
  const off = [
    ...(fsync === 'on' ? [] : ['fsync']),
    ...(fullPageWrites === 'on' ? [] : ['full_page_writes']),
    ...(synchronousCommit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (off.length === 0) return ok(name, `fsync on, synchronous_commit ${synchronousCommit}`);
  return fail(name, {
    message: `${off.join(' and ')} off: a crash can lose certificates that clients have.`,
    advice: `Set ${off.map((one) => `${one} = on`).join(', ')} in postgresql.conf.`,
  });
};
