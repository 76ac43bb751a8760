import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { openEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';
import { createTestDatabase } from './create-test-database.ts';
import { openTestPostgres } from './open-test-postgres.ts';
import { sweepTestPostgres } from './test-server-home.ts';

const TIMEOUT_MS = 60_000;
const log = (): void => undefined;

describe('openTestPostgres', () => {
  it(
    'starts a private server that can be killed and reopened, and deletes its directory',
    async () => {
      const server = await openTestPostgres({ durable: true });
      await withClient(server.url, (client) => client.query('CREATE TABLE stored ()'));
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
      const again = await openEmbeddedPostgres({
        dir: server.dir,
        port: server.port,
        durable: true,
        log,
      });
      await withClient(again.url, (client) => client.query('SELECT FROM stored'));
      await again.stop();
      await server[Symbol.asyncDispose]();
      await expect(access(dirname(server.dir))).rejects.toMatchObject({ code: 'ENOENT' });
    },
    TIMEOUT_MS,
  );

  it(
    'hosts test databases',
    async () => {
      await using server = await openTestPostgres();
      await using database = await createTestDatabase(['ledger'], { serverUrl: server.url });
      expect(new URL(database.urls['ledger'] ?? '').port).toBe(String(server.port));
    },
    TIMEOUT_MS,
  );
});

describe('sweepTestPostgres', () => {
  it(
    'stops and deletes the server of a killed run, but not those of running ones',
    async () => {
      await using running = await openTestPostgres();
      await utimes(dirname(running.dir), new Date(0), new Date(0));
      const orphan = await startOrphanServer();
      await withClient(orphan.url, (client) => client.query('SELECT 1'));
      await sweepTestPostgres(log);
      await expect(access(dirname(orphan.dir))).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(withClient(orphan.url, async () => undefined)).rejects.toMatchObject({
        code: 'ECONNREFUSED',
      });
      await withClient(running.url, (client) => client.query('SELECT 1'));
    },
    TIMEOUT_MS,
  );
});

async function startOrphanServer(): Promise<{ url: string; dir: string }> {
  const module = JSON.stringify(new URL('./open-test-postgres.ts', import.meta.url).href);
  const script = `
    import { openTestPostgres } from ${module};
    const { url, dir } = await openTestPostgres();
    console.log(JSON.stringify({ url, dir }));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'exit');
  return JSON.parse(line.toString()) as { url: string; dir: string };
}
