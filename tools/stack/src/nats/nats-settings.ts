import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { NatsError } from '../postgres/postgres-error.ts';

export type NatsVersion = { major: number; minor: number };

export const NATS_USER = 'witan';

const VERSION_TIMEOUT_MS = 10_000;
const OLDEST: NatsVersion = { major: 2, minor: 9 };
// First version with `sync_interval`. Older versions refuse to start with this setting.
const FIRST_WITH_SYNC: NatsVersion = { major: 2, minor: 10 };

export const readNatsVersion = async (program: string): Promise<NatsVersion> => {
  const output = await promisify(execFile)(program, ['--version'], {
    timeout: VERSION_TIMEOUT_MS,
  }).catch((cause: unknown) => {
    throw new NatsError('not-started', `${program} could not be run: ${String(cause)}.`, { cause });
  });
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(output.stdout) ?? [];
  const version = { major: Number(major), minor: Number(minor) };
  if (isAtLeast(version, OLDEST)) return version;
  const message = `${program} is ${output.stdout.trim()}; 2.9 or newer is needed.`;
  throw new NatsError('too-old', message);
};

/**
 * Returns the content of the configuration file. The password is in this file and not in an
 * argument, because arguments are visible to other users.
 */
export const toNatsSettings = (options: {
  version: NatsVersion;
  password: string | undefined;
  durable: boolean;
}): string => {
  const { version, password, durable } = options;
  // An acknowledged event must survive a power cut. By default nats-server syncs only every two
  // minutes.
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

const isAtLeast = (version: NatsVersion, wanted: NatsVersion): boolean =>
  version.major > wanted.major || (version.major === wanted.major && version.minor >= wanted.minor);
