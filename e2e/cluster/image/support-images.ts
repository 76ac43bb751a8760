import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  findPostgresPackage,
  preparePostgresBinaries,
} from '@witan/stack/postgres/postgres-binaries';
import { findServerAccount } from '@witan/stack/postgres/server-account';
import { FOLDERS, VERSIONS } from '../config.ts';
import { log } from '../run-command.ts';
import type { ImageConfig } from './buildah.ts';

type Image = { image: string; config: () => Promise<ImageConfig> };

const DEBIAN = 'localhost/debian:bookworm';
export const NODE_IMAGE = 'localhost/node:bookworm-slim';
export const PAUSE_IMAGE = 'localhost/pause:1';

const SEARCH_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Images that others are built from. */
export const BASE_IMAGES: readonly Image[] = [
  {
    image: DEBIAN,
    config: async () => ({
      from: 'scratch',
      copies: { '/': FOLDERS.base },
      config: ['--env', SEARCH_PATH],
    }),
  },
  {
    image: NODE_IMAGE,
    // The Node that runs this program, which the lock file pins.
    config: async () => ({ from: DEBIAN, copies: { '/usr/local/bin/node': process.execPath } }),
  },
];

/**
 * Substitutes for the images of the cluster's own pods and of the data stores of overlays/dev, with
 * the names by which manifests refer to them.
 */
export const SUPPORT_IMAGES: readonly (Image & { archive: string })[] = [
  {
    image: PAUSE_IMAGE,
    archive: 'pause.tar',
    config: async () => ofProgram('pause', ['--user', '65535:65535']),
  },
  {
    image: `localhost/coredns:${VERSIONS.coredns}`,
    archive: 'coredns.tar',
    config: async () => ofProgram('coredns', []),
  },
  {
    image: `localhost/metrics-server:${VERSIONS.metricsServer}`,
    archive: 'metrics-server.tar',
    config: async () => ofProgram('metrics-server', []),
  },
  {
    image: `docker.io/library/nats:${VERSIONS.nats.slice(1)}-alpine`,
    archive: 'nats.tar',
    config: async () => ofProgram('nats-server', []),
  },
  {
    image: 'docker.io/library/postgres:18.4-alpine',
    archive: 'postgres.tar',
    config: () => ofPostgres(),
  },
];

const ofProgram = (program: string, config: readonly string[]): ImageConfig => ({
  from: 'scratch',
  copies: { [`/${program}`]: join(FOLDERS.programs, program) },
  config: ['--entrypoint', JSON.stringify([`/${program}`]), ...config],
});

/**
 * What overlays/dev uses of the official image's entry point: user 70, the data folder, the
 * password, the database, and permissions that are set at each start, because the kubelet's
 * `fsGroup` opens the folder to the group at each mount, which PostgreSQL refuses.
 */
const POSTGRES_ENTRY_POINT = `#!/bin/sh
set -e
export PGDATA=\${PGDATA:-/var/lib/postgresql/18/docker}
mkdir -p "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  printf '%s\\n' "$POSTGRES_PASSWORD" > "$password"
  initdb --username=postgres --pwfile="$password" --auth-host=scram-sha-256 --auth-local=trust
  rm "$password"
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  local_only="-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql"
  pg_ctl -D "$PGDATA" -o "$local_only" -w start
  createdb --host=/var/run/postgresql --username=postgres "$POSTGRES_DB"
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
`;

/** PostgreSQL of the npm package that `npm start` uses, in the version that overlays/dev names. */
const ofPostgres = async (): Promise<ImageConfig> => {
  const options = { account: findServerAccount(), log };
  const { postgres } = await preparePostgresBinaries(findPostgresPackage(), options);
  const folder = join(FOLDERS.images, 'context');
  await mkdir(folder, { recursive: true });
  const script = join(folder, 'docker-entrypoint.sh');
  await writeFile(script, POSTGRES_ENTRY_POINT, { mode: 0o755 });
  return {
    from: DEBIAN,
    copies: {
      '/usr/local/pgsql': dirname(dirname(postgres)),
      '/usr/local/bin/docker-entrypoint.sh': script,
    },
    commands: [
      // The npm package has no client programs; the probes of overlays/dev use one.
      'apt-get update -q && apt-get install -y -q --no-install-recommends postgresql-client-15',
      'rm -rf /var/lib/apt/lists/*',
      'echo "postgres:x:70:70::/var/lib/postgresql:/bin/sh" >> /etc/passwd',
      'echo "postgres:x:70:" >> /etc/group',
      'chmod -R a+rX /usr/local/pgsql && chmod a+x /usr/local/pgsql/bin/*',
      'mkdir -p /var/lib/postgresql /var/run/postgresql',
      'chown 70:70 /var/lib/postgresql /var/run/postgresql',
    ],
    config: [
      '--env',
      SEARCH_PATH.replace('=', '=/usr/local/pgsql/bin:/usr/lib/postgresql/15/bin:'),
      '--entrypoint',
      '["docker-entrypoint.sh"]',
      '--stop-signal',
      'SIGINT',
    ],
  };
};
