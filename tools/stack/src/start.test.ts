import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requestNats } from './nats/request-nats.ts';
import { findNatsServer, HOW_TO_GET_NATS } from './nats/find-nats-server.ts';
import { deleteEmbeddedPostgres } from './postgres/open-embedded-postgres.ts';
import { findProcessIdentity } from './postgres/process-identity.ts';
import type { SystemFile } from './system/create-system.ts';

const TIMEOUT_MS = 120_000;
const ARGS = [
  '--disable-warning=ExperimentalWarning',
  fileURLToPath(new URL('./start.ts', import.meta.url)),
];
const STREAM = '$JS.API.STREAM.INFO.EVENTS';
const program = findNatsServer(process.env['PATH']);
const [itWithServer, why] = program
  ? ([it, ''] as const)
  : ([it.skip, ` (no nats-server here; to get one: ${HOW_TO_GET_NATS})`] as const);

let home: string;
let running: ChildProcess[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'witan-stack-start-'));
  running = [];
});

afterEach(async () => {
  for (const child of running) await stop(child);
  await deleteEmbeddedPostgres({ dir: join(home, 'postgres'), log: () => {} });
  await rm(home, { recursive: true, force: true });
}, TIMEOUT_MS);

const SERVICES = ['agents', 'api-gateway', 'ledger', 'llm-gateway', 'notifier', 'simulation'];

type StartedSystem = { child: ChildProcess; log: string; summary: string; file: SystemFile };

const start = async (env: Record<string, string>, args: string[] = []): Promise<StartedSystem> => {
  const child = spawn(process.execPath, [...ARGS, ...args], {
    env: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...env,
      WITAN_HOME: home,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes('Stop with Ctrl-C')) break;
  }
  child.stdout.resume();
  const at = text.indexOf('Witan is up.');
  return { child, log: text.slice(0, at), summary: text.slice(at), file: await readSystem() };
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
};

const readSystem = async (): Promise<SystemFile> =>
  JSON.parse(await readFile(join(home, 'system.json'), 'utf8')) as SystemFile;

const waitUntilTrue = async (isTrue: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('It did not become true.');
    await delay(50);
  }
};

const hasStream = async (url: string): Promise<boolean> => {
  try {
    const { config } = JSON.parse(await requestNats(url, { subject: STREAM })) as {
      config?: object;
    };
    return config !== undefined;
  } catch {
    return false;
  }
};

const expectGone = async (pids: SystemFile['pids']): Promise<void> => {
  for (const [name, pid] of Object.entries(pids)) {
    expect({ name, is: await findProcessIdentity(pid) }).toEqual({ name, is: undefined });
  }
};

describe('npm start', () => {
  itWithServer(
    `gives its processes a broker and fixed ports, and stops all of them${why}`,
    async () => {
      const given = { PATH: dirname(program!), OPENAI_API_KEY: 'sk-of-the-operator' };
      const { child, file, summary } = await start(given, ['--processes']);
      const url = file.natsUrl!;
      await expect(hasStream(url)).resolves.toBe(true);
      expect(summary).toContain(`Events     nats://127.0.0.1:${new URL(url).port}\n`);
      if (process.platform === 'linux') {
        const read = (name: string): Promise<string> =>
          readFile(`/proc/${file.pids[name]}/environ`, 'utf8');
        expect((await read('notifier')).split('\0')).toContain(`NATS_URL=${url}`);
        const texts = await Promise.all(SERVICES.map(read));
        const holders = SERVICES.filter((_name, n) => texts[n]!.includes('sk-of-the-operator'));
        expect(holders).toEqual(['llm-gateway']);
      }
      process.kill(file.pids['nats']!, 'SIGKILL');
      await waitUntilTrue(async () => (await readSystem()).pids['nats'] !== file.pids['nats']);
      const restarted = await readSystem();
      expect(restarted.natsUrl).toBe(url);
      await expect(hasStream(url)).resolves.toBe(true);
      await stop(child);
      expect(child.exitCode).toBe(0);
      await expectGone(restarted.pids);
    },
    TIMEOUT_MS,
  );

  it(
    'refuses a taken port before it makes a database',
    async () => {
      const other = createServer();
      other.listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const child = spawn(process.execPath, ARGS, {
        env: { WITAN_HOME: home, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      running.push(child);
      const [text] = await Promise.all([readText(child.stderr), once(child, 'exit')]);
      other.close();
      expect(text).toContain(`Port ${port} is taken; set PORT to a free one.`);
      expect(child.exitCode).toBe(1);
      expect(await readdir(home)).not.toContain('postgres');
    },
    TIMEOUT_MS,
  );

  it(
    'starts without a nats-server and moves events within its process',
    async () => {
      const { file, log, summary, child } = await start({});
      // The call that creates the link of the console may be logged after the summary.
      expect(log.match(/"path":"\/v1\/agents","status":201/g)).toHaveLength(5);
      expect(log.match(/"event":"migrations_applied"/g)).toHaveLength(SERVICES.length);
      expect(file.natsUrl).toBeNull();
      expect(file.pids).not.toHaveProperty('nats');
      expect(summary).toContain('Events     in process (NATS when NATS_URL is set)');
      await stop(child);
      expect(child.exitCode).toBe(0);
    },
    TIMEOUT_MS,
  );

  it('ends with 2 if separate processes have no broker, before it starts anything', async () => {
    const child = spawn(process.execPath, [...ARGS, '--processes'], {
      env: { WITAN_HOME: home, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(child, 'close');
    expect([child.exitCode, text.trim()]).toEqual([
      2,
      `Separate processes need a broker: set NATS_URL, or install nats-server (${HOW_TO_GET_NATS}).`,
    ]);
    expect(await readdir(home)).not.toContain('postgres');
  });
});
