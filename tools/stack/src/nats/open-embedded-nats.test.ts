import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findProcessIdentity } from '../postgres/process-identity.ts';
import { requestNats } from './request-nats.ts';
import { findNatsServer, HOW_TO_GET_NATS } from './find-nats-server.ts';
import { findProcesses } from './end-previous-nats-server.ts';
import { deleteEmbeddedNats, openEmbeddedNats } from './open-embedded-nats.ts';
import type { EmbeddedNats, EmbeddedNatsOptions } from './open-embedded-nats.ts';

const TIMEOUT_MS = 60_000;
const program = findNatsServer(process.env['PATH']);
const [itServer, why] = program
  ? ([it, ''] as const)
  : ([it.skip, ` (no nats-server here; to get one: ${HOW_TO_GET_NATS})`] as const);

let home: string;
let dir: string;
let lines: string[];
let opened: EmbeddedNats[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'witan-stack-nats-'));
  dir = join(home, 'nats');
  lines = [];
  opened = [];
});

afterEach(async () => {
  for (const server of opened) await server.stop();
  await deleteEmbeddedNats({ dir, log });
  await rm(home, { recursive: true, force: true });
}, TIMEOUT_MS);

const log = (line: string): void => void lines.push(line);

const open = async (options: Partial<EmbeddedNatsOptions> = {}): Promise<EmbeddedNats> => {
  const server = await openEmbeddedNats({ program: program!, dir, log, ...options });
  opened.push(server);
  return server;
};

type NatsServerUrl = { url: string };

const publish = async ({ url }: NatsServerUrl): Promise<void> => {
  const stream = JSON.stringify({ name: 'NOTES', subjects: ['notes.>'], storage: 'file' });
  await requestNats(url, { subject: '$JS.API.STREAM.CREATE.NOTES', payload: stream });
  const ack = await requestNats(url, { subject: 'notes.new', payload: 'a note' });
  expect(JSON.parse(ack)).toMatchObject({ stream: 'NOTES', seq: 1 });
};

const countMessages = async ({ url }: NatsServerUrl): Promise<number> => {
  const info = await requestNats(url, { subject: '$JS.API.STREAM.INFO.NOTES' });
  return (JSON.parse(info) as { state: { messages: number } }).state.messages;
};

describe(`openEmbeddedNats${why}`, () => {
  itServer(
    'preserves its streams across a restart, in files that others cannot read',
    async () => {
      const first = await open();
      await publish(first);
      await first.stop();
      await expect(findProcessIdentity(first.pid)).resolves.toBeUndefined();
      const second = await open({ port: first.port });
      expect(second.url).toBe(first.url);
      await expect(countMessages(second)).resolves.toBe(1);
      expect((await stat(dir)).mode & 0o777).toBe(0o700);
      expect((await stat(join(dir, 'nats.conf'))).mode & 0o777).toBe(0o600);
      expect((await stat(join(dir, 'server.log'))).mode & 0o777).toBe(0o600);
      expect(lines).toEqual([]);
    },
    TIMEOUT_MS,
  );

  itServer(
    'reports that SIGKILL ended it, and preserves acknowledged messages',
    async () => {
      const first = await open();
      await publish(first);
      process.kill(first.pid, 'SIGKILL');
      await first.exited;
      const second = await open({ port: first.port });
      expect(second.pid).not.toBe(first.pid);
      await expect(countMessages(second)).resolves.toBe(1);
    },
    TIMEOUT_MS,
  );

  itServer(
    'requires the password, which is not in its arguments',
    async () => {
      const password = 'a+b/c= "quoted" \\ $x';
      const server = await open({ password });
      await publish(server);
      await expect(publish({ url: `nats://127.0.0.1:${server.port}` })).rejects.toThrow(
        'Authorization Violation',
      );
      await expect(findProcesses([password])).resolves.toEqual([]);
    },
    TIMEOUT_MS,
  );

  itServer(
    'refuses a folder that another system has locked, also through a symbolic link',
    async () => {
      await open();
      const other = join(home, 'other-name');
      await symlink(dir, other);
      await expect(open({ dir: other })).rejects.toMatchObject({ reason: 'already-running' });
    },
    TIMEOUT_MS,
  );

  itServer.each(['running', 'stopped by SIGSTOP'])(
    'stops the orphan of a killed system, %s, and takes over its streams',
    async (state) => {
      const orphan = await startOrphanServer();
      await publish(orphan);
      if (state !== 'running') process.kill(orphan.pid, 'SIGSTOP');
      const server = await open();
      await expect(findProcessIdentity(orphan.pid)).resolves.toBeUndefined();
      await expect(countMessages(server)).resolves.toBe(1);
      expect(lines).toEqual([expect.stringContaining(`process ${orphan.pid}`)]);
    },
    TIMEOUT_MS,
  );

  itServer(
    'quotes the log if the server does not start, and releases the folder',
    async () => {
      const first = await open();
      const second = open({ dir: join(home, 'second'), port: first.port });
      await expect(second).rejects.toMatchObject({
        reason: 'not-started',
        message: expect.stringContaining('address already in use'),
      });
      await open({ dir: join(home, 'second') });
    },
    TIMEOUT_MS,
  );

  const startOrphanServer = async (): Promise<NatsServerUrl & { pid: number }> => {
    const module = JSON.stringify(new URL('./open-embedded-nats.ts', import.meta.url).href);
    const options = JSON.stringify({ program, dir });
    const script = `
      import { deleteEmbeddedNats, openEmbeddedNats } from ${module};
      const { pid, url } = await openEmbeddedNats({ ...${options}, log: console.error });
      console.log(JSON.stringify({ pid, url }));
      process.stdin.resume();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'exit');
    return JSON.parse(line.toString()) as NatsServerUrl & { pid: number };
  };
});

describe('openEmbeddedNats with another program', () => {
  it('refuses an old version', async () => {
    const old = await writeProgram('echo nats-server: v2.8.4');
    await expect(open({ program: old })).rejects.toMatchObject({ reason: 'too-old' });
  });

  it('refuses a program that cannot be run', async () => {
    const broken = await writeProgram('exit 3');
    await expect(open({ program: broken })).rejects.toMatchObject({ reason: 'not-started' });
  });

  it('quotes the log of a program that exits at once', async () => {
    const text =
      'case $1 in --version) echo nats-server: v2.12.0;; *) echo no licence; exit 1;; esac';
    const refusal = open({ program: await writeProgram(text) });
    await expect(refusal).rejects.toMatchObject({
      reason: 'not-started',
      message: expect.stringContaining('no licence'),
    });
    await expect(readFile(join(dir, 'server.log'), 'utf8')).resolves.toContain('no licence');
  });

  const writeProgram = async (text: string): Promise<string> => {
    const file = join(home, 'nats-server');
    await writeFile(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
  };
});
