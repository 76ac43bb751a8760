import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { choosePort } from '@witan/stack/postgres/choose-port';
import { NATS_MISSING, openTestNats, openTestPostgres } from '@witan/testing';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Each service after those that it needs to become ready. */
const SERVICES = ['ledger', 'llm-gateway', 'agents', 'simulation', 'notifier', 'api-gateway'];
const COMMANDS_MAX = 5;
const READY_TIMEOUT_MS = 90_000;
const POLL_MS = 250;
/** Ports in the documents: gRPC, admin, and HTTP of the api-gateway. */
const PORT = /\b(?:5005[1-9]|909[0-9]|8080)\b/g;

const describeBroker = NATS_MISSING ? describe.skip : describe;

jest.setTimeout(180_000);

describeBroker(`"Run it alone"${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let folder: string;
  let servers: { databaseUrl: string; natsUrl: string };
  const opened = new AsyncDisposableStack();
  const ports = new Map<string, number>();
  beforeAll(async () => {
    // A private server, because the commands create roles.
    const postgres = opened.use(await openTestPostgres());
    const nats = opened.use((await openTestNats())!);
    servers = { databaseUrl: postgres.url, natsUrl: nats.url };
    folder = await mkdtemp(join(tmpdir(), 'witan-alone-'));
    opened.defer(() => rm(folder, { recursive: true }));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => opened.disposeAsync());

  /** Replaces what readers replace: the addresses of their servers, and ports that are in use. */
  const adapt = async (commands: string): Promise<string> => {
    for (const [port] of commands.matchAll(PORT)) {
      if (!ports.has(port)) ports.set(port, await choosePort({ wanted: 0 }));
    }
    return commands
      .replace('postgres://postgres:secret@127.0.0.1:5432/witan', servers.databaseUrl)
      .replace('nats://127.0.0.1:4222', servers.natsUrl)
      .replaceAll(PORT, (port) => String(ports.get(port)));
  };

  it.each(SERVICES)('the commands in the README of %s start it', async (service) => {
    const commands = (await adapt(await readCommands(service))).split('\n');
    expect(commands.length).toBeLessThanOrEqual(COMMANDS_MAX);
    const [check, serve, ...jobs] = commands.reverse();
    expect(serve).toMatch(new RegExp(` serve ${service}$`));
    for (const job of jobs.reverse()) expect(await run(job)).toMatchObject({ code: 0 });
    opened.defer(start(serve!));
    const deadline = performance.now() + READY_TIMEOUT_MS;
    let checked = await run(check!);
    while (checked.code !== 0 && performance.now() < deadline) {
      await pause(POLL_MS);
      checked = await run(check!);
    }
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('"ready":true') });
  });

  const run = async (command: string) => {
    const child = open(command, folder);
    const closed = once(child, 'close');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await closed) as [number | null];
    return { command, code, stdout, stderr };
  };

  /** Starts a service and returns a function that stops it and everything that npx started. */
  const start = (command: string) => {
    const child = open(command, folder);
    const closed = once(child, 'close');
    child.stdout.resume();
    child.stderr.resume();
    return async (): Promise<void> => {
      process.kill(-child.pid!, 'SIGTERM');
      await closed;
    };
  };
});

const open = (command: string, cwd: string) =>
  spawn('sh', ['-c', command], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });

/** Returns the commands of the section "Run it alone" of a service's README, one per line. */
const readCommands = async (service: string): Promise<string> => {
  const readme = await readFile(join(ROOT, 'apps', service, 'README.md'), 'utf8');
  const section = readme.split('## Run it alone\n')[1]?.split('\n## ')[0];
  const block = section?.match(/```sh\n([^]*?)\n```/)?.[1];
  if (block === undefined) throw new Error(`The README of ${service} has no "Run it alone".`);
  return block.replaceAll('\\\n', '');
};
