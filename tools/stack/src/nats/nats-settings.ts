import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { NatsError } from './nats-error.ts';

/** A release of nats-server. */
export type NatsVersion = { major: number; minor: number };

/** The one account of a server of ours. */
export const NATS_USER = 'witan';

const VERSION_TIMEOUT_MS = 10_000;
// The oldest whose streams and consumers do what ours ask for.
const OLDEST: NatsVersion = { major: 2, minor: 9 };
// The first that can be told when to sync; older ones refuse to start with the setting.
const FIRST_WITH_SYNC: NatsVersion = { major: 2, minor: 10 };

/** Asks the program for its version. Throws `too-old`, `not-started`. */
export const readNatsVersion = async (program: string): Promise<NatsVersion> => {
  const said = await promisify(execFile)(program, ['--version'], {
    timeout: VERSION_TIMEOUT_MS,
  }).catch((cause: unknown) => {
    throw new NatsError('not-started', `${program} could not be run: ${String(cause)}.`, { cause });
  });
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(said.stdout) ?? [];
  const version = { major: Number(major), minor: Number(minor) };
  if (isAtLeast(version, OLDEST)) return version;
  const message = `${program} is ${said.stdout.trim()}; 2.9 or newer is needed.`;
  throw new NatsError('too-old', message);
};

/** The server's configuration file: what has no flag, and what other users must not see in one. */
export const toNatsSettings = (options: {
  version: NatsVersion;
  password: string | undefined;
  durable: boolean;
}): string => {
  const { version, password, durable } = options;
  // An acknowledged fact must outlive a power cut; without this the disk is told every two minutes.
  const sync = durable && isAtLeast(version, FIRST_WITH_SYNC) ? 'sync_interval: always' : '';
  return [
    '# Written at every start: changes to this file are lost.',
    `jetstream { ${sync} }`,
    password === undefined
      ? ''
      : `authorization { user: ${NATS_USER}, password: ${JSON.stringify(password)} }`,
    '',
  ].join('\n');
};

/** False for a version that could not be read, too. */
const isAtLeast = (version: NatsVersion, wanted: NatsVersion): boolean =>
  version.major > wanted.major || (version.major === wanted.major && version.minor >= wanted.minor);
