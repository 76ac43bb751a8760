import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withClient } from './ensure-database.ts';
import {
  deleteEmbeddedPostgres,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './open-embedded-postgres.ts';

const TIMEOUT_MS = 60_000;
const isRoot = process.getuid?.() === 0;

let home: string;
let dir: string;
let lines: string[];
let opened: EmbeddedPostgres[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'witan-stack-postgres-'));
  await chmod(home, 0o755);
  dir = join(home, 'postgres');
  lines = [];
  opened = [];
});

afterEach(async () => {
  for (const server of opened) await server.stop();
  await deleteEmbeddedPostgres({ dir, log });
  await rm(home, { recursive: true, force: true });
}, TIMEOUT_MS);

const log = (line: string): void => void lines.push(line);

async function open(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await openEmbeddedPostgres({ dir, durable: false, log, ...options });
  opened.push(server);
  return server;
}

async function query(server: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  return withClient(server.url, async (client) => (await client.query(sql)).rows as unknown[]);
}

const insertNote = (server: EmbeddedPostgres): Promise<unknown[]> =>
  query(server, 'CREATE TABLE notes (note text); INSERT INTO notes VALUES ($$a note$$)');

describe('openEmbeddedPostgres', () => {
  it(
    'preserves data, password and port across a restart, and reports the exit of the server',
    async () => {
      const first = await open({ durable: true });
      await insertNote(first);
      await first.stop();
      await expect(first.exited).resolves.toEqual({ code: 0, signal: null });
      const second = await open({ durable: true });
      expect(second.url).toBe(first.url);
      await expect(query(second, 'SELECT note FROM notes')).resolves.toEqual([{ note: 'a note' }]);
      expect((await stat(join(second.folder, 'password'))).mode & 0o777).toBe(0o600);
      expect(lines).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each([
    { durable: true, expected: 'on' },
    { durable: false, expected: 'off' },
  ])(
    'has fsync and full page writes $expected when durable is $durable, checksums always',
    async ({ durable, expected }) => {
      const server = await open({ durable });
      await expect(
        query(
          server,
          `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes',
             'synchronous_commit', 'data_checksums', 'listen_addresses') ORDER BY name`,
        ),
      ).resolves.toEqual([
        { name: 'data_checksums', setting: 'on' },
        { name: 'fsync', setting: expected },
        { name: 'full_page_writes', setting: expected },
        { name: 'listen_addresses', setting: '127.0.0.1' },
        { name: 'synchronous_commit', setting: expected },
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'recovers committed data if the server is killed and reopened at once',
    async () => {
      const first = await open({ durable: true });
      await insertNote(first);
      const pendingQuery = query(first, 'SELECT pg_sleep(30)').catch((error: unknown) => error);
      process.kill(first.pid, 'SIGKILL');
      await expect(first.exited).resolves.toEqual({ code: null, signal: 'SIGKILL' });
      const second = await open({ durable: true, port: first.port });
      expect(second.url).toBe(first.url);
      await expect(query(second, 'SELECT note FROM notes')).resolves.toEqual([{ note: 'a note' }]);
      await pendingQuery;
    },
    TIMEOUT_MS,
  );

  it(
    'ignores a lock file whose pid belongs to another program',
    async () => {
      const first = await open({ durable: true });
      await insertNote(first);
      process.kill(first.pid, 'SIGKILL');
      await first.exited;
      const lockFile = join(first.folder, 'data', 'postmaster.pid');
      const otherLines = (await readFile(lockFile, 'utf8')).split('\n').slice(1);
      const otherProcess = spawn('sleep', ['60'], { uid: isRoot ? 65534 : undefined });
      await once(otherProcess, 'spawn');
      await writeFile(lockFile, [String(otherProcess.pid), ...otherLines].join('\n'));
      try {
        const second = await open({ durable: true });
        await expect(query(second, 'SELECT note FROM notes')).resolves.toHaveLength(1);
      } finally {
        otherProcess.kill('SIGKILL');
      }
    },
    TIMEOUT_MS,
  );

  it(
    'shuts down the server of a killed owner, logs one line, and preserves its data',
    async () => {
      const owner = await startServerOwner();
      process.kill(owner.pid, 'SIGKILL');
      await once(owner.child, 'exit');
      expect(() => process.kill(owner.postgres, 0)).not.toThrow();
      const server = await open();
      expect(lines).toEqual([expect.stringMatching(`process ${owner.postgres}\\) outlived`)]);
      expect(server.pid).not.toBe(owner.postgres);
      await expect(query(server, 'SELECT note FROM notes')).resolves.toEqual([{ note: 'a note' }]);
    },
    TIMEOUT_MS,
  );

  it(
    'refuses a folder whose server runs in this or another process, and does not stop it',
    async () => {
      const server = await open();
      await expect(open()).rejects.toMatchObject({ reason: 'already-running' });
      await expect(deleteEmbeddedPostgres({ dir, log })).rejects.toMatchObject({
        reason: 'already-running',
      });
      await expect(query(server, 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
      await server.stop();
      const owner = await startServerOwner();
      await expect(open()).rejects.toMatchObject({ reason: 'already-running' });
      owner.child.stdin?.end();
      await once(owner.child, 'exit');
      await expect(open()).resolves.toMatchObject({ port: server.port });
    },
    TIMEOUT_MS,
  );

  it(
    'refuses a requested port that is in use, and picks another if none is requested',
    async () => {
      const first = await open();
      await first.stop();
      const otherProcess = createServer().listen(first.port, '127.0.0.1');
      await once(otherProcess, 'listening');
      try {
        await expect(open({ port: first.port })).rejects.toMatchObject({
          reason: 'port-taken',
          message: expect.stringContaining(String(first.port)),
        });
        expect((await open()).port).not.toBe(first.port);
      } finally {
        otherProcess.close();
      }
    },
    TIMEOUT_MS,
  );

  it(
    'quotes the log if the server does not start, and opens once the problem is fixed',
    async () => {
      const first = await open();
      await first.stop();
      const version = join(first.folder, 'data', 'PG_VERSION');
      await writeFile(version, '9.6\n');
      await expect(open()).rejects.toMatchObject({
        reason: 'not-started',
        message: expect.stringContaining('incompatible with server'),
      });
      await writeFile(version, '18\n');
      await expect(open()).resolves.toMatchObject({ port: first.port });
    },
    TIMEOUT_MS,
  );

  it(
    'refuses a cluster without a password, and does not replace it by an empty one',
    async () => {
      const first = await open();
      await first.stop();
      const file = join(first.folder, 'password');
      const password = await readFile(file, 'utf8');
      await rm(file);
      await expect(open()).rejects.toMatchObject({ reason: 'state-missing' });
      await writeFile(file, password);
      await expect(open()).resolves.toMatchObject({ url: first.url });
    },
    TIMEOUT_MS,
  );
});

(isRoot ? describe : describe.skip)('openEmbeddedPostgres as root (skipped otherwise)', () => {
  it(
    'relocates the state of a private home, logs where, and finds it again',
    async () => {
      await chmod(home, 0o700);
      const first = await open();
      expect(first.folder.startsWith(home)).toBe(false);
      expect(lines).toEqual([expect.stringContaining(first.folder)]);
      expect((await readFile(`${dir}-location`, 'utf8')).trim()).toBe(first.folder);
      await insertNote(first);
      await first.stop();
      const second = await open();
      expect(second.folder).toBe(first.folder);
      await expect(query(second, 'SELECT note FROM notes')).resolves.toHaveLength(1);
      expect(lines).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  it(
    'starts empty and renames the old state if a private home was deleted and recreated',
    async () => {
      await chmod(home, 0o700);
      const first = await open();
      await insertNote(first);
      await first.stop();
      await rm(`${dir}-location`);
      const second = await open();
      expect(second.folder).toBe(first.folder);
      const renamedFolder = /set aside as (\S+)\.$/.exec(
        lines.find((line) => /aside/.test(line)) ?? '',
      );
      expect((await stat(join(renamedFolder?.[1] ?? '', 'data'))).isDirectory()).toBe(true);
      await rm(renamedFolder?.[1] ?? '', { recursive: true });
      await expect(query(second, 'SELECT note FROM notes')).rejects.toMatchObject({
        code: '42P01',
      });
    },
    TIMEOUT_MS,
  );

  it(
    "runs the server under its own account without this process's environment",
    async () => {
      const { pid } = await open();
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\s+65534\s+65534\s+65534/m);
      expect(status).toMatch(/^Groups:\s*$/m);
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      expect(environment).not.toMatch(/NODE|HOME|KEY/);
    },
    TIMEOUT_MS,
  );
});

async function startServerOwner(): Promise<{
  child: ReturnType<typeof spawn>;
  pid: number;
  postgres: number;
}> {
  const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    import { openEmbeddedPostgres } from ${module('./open-embedded-postgres.ts')};
    import { withClient } from ${module('./ensure-database.ts')};
    const dir = ${JSON.stringify(dir)};
    const server = await openEmbeddedPostgres({ dir, durable: false, log: () => {} });
    await withClient(server.url, (client) => client.query(
      'CREATE TABLE IF NOT EXISTS notes (note text); INSERT INTO notes VALUES ($$a note$$)'));
    console.log(server.pid);
    process.stdin.resume().on('end', () => server.stop());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, pid: child.pid ?? 0, postgres: Number(line.toString()) };
}
