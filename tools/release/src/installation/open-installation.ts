import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { choosePort } from '@witan/stack/postgres/choose-port';
import {
  deleteEmbeddedPostgres,
  openEmbeddedPostgres,
} from '@witan/stack/postgres/open-embedded-postgres';
import { openBrokerServer } from './open-broker-server.ts';

/** PostgreSQL, the broker, the secrets and the jobs of one installation, as in `compose.yaml`. */
export type Installation = AsyncDisposable & {
  folder: string;
  emptyFolder: (name: string) => Promise<string>;
  runJob: (argv: readonly string[], options?: JobOptions) => Promise<string>;
  envFileOf: (service: string) => string;
};

/** By default a job has the operator's environment file and runs the installation's own CLI. */
export type JobOptions = { envFile?: string; cli?: readonly string[] };

export type InstallationOptions = {
  root: string;
  cli: readonly string[];
  path: string | undefined;
};

const run = promisify(execFile);

/** Starts PostgreSQL and the broker and creates the secrets. Does not apply migrations. */
export const openInstallation = async (options: InstallationOptions): Promise<Installation> => {
  const folder = await mkdtemp(join(tmpdir(), 'witan-installation-'));
  const secrets = join(folder, 'secrets');
  const dir = join(folder, 'postgres');
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  };
  const emptyFolder = async (name: string): Promise<string> => {
    await mkdir(join(folder, 'empty', name), { recursive: true });
    return join(folder, 'empty', name);
  };
  try {
    const postgres = await openEmbeddedPostgres({ dir, durable: false, log: () => undefined });
    cleanups.push(() => deleteEmbeddedPostgres({ dir, log: () => undefined }), postgres.stop);
    const natsPort = await choosePort({ wanted: 0 });
    const cwd = await emptyFolder('jobs');
    const admin = new URL(postgres.url);
    admin.password = '';
    const mount = join(secrets, '{service}');
    const create = ['secrets', 'create', secrets, '--mount', mount, ...urls(admin, natsPort)];
    await runNode([...options.cli, ...create], { cwd, env: {} });
    const nats = await openBrokerServer({
      settings: join(options.root, 'deploy/docker/nats.conf'),
      secrets: join(secrets, 'nats'),
      folder: join(folder, 'nats'),
      port: natsPort,
      path: options.path,
    });
    cleanups.push(nats.stop);
    const envFileOf = (name: string): string => join(secrets, name, 'service.env');
    return {
      folder,
      emptyFolder,
      runJob: (argv, { envFile, cli = options.cli } = {}) => {
        const envFileOption = `--env-file=${envFile ?? envFileOf('operator')}`;
        // Overrides the operator's DATABASE_URL, because the embedded server generates the admin
        // password.
        const env: Record<string, string> = envFile ? {} : { DATABASE_URL: postgres.url };
        return runNode([envFileOption, ...cli, ...argv], { cwd, env });
      },
      envFileOf,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const urls = (database: URL, natsPort: number): string[] => [
  ...['--database', database.href],
  ...['--nats', `nats://127.0.0.1:${natsPort}`],
];

const runNode = async (
  argv: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<string> => (await run(process.execPath, [...argv], options)).stdout;
