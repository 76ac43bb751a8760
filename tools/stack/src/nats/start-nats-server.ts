import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, NatsError } from '../postgres/postgres-error.ts';

export type NatsProcess = {
  pid: number;
  exited: Promise<void>;
  stop: () => Promise<void>;
};

export type NatsStart = {
  program: string;
  folder: string;
  /** Passed as the argument `-sd`, by which orphans are found. */
  storeDir: string;
  settingsFile: string;
  port: number;
};

const HOST = '127.0.0.1';
const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 10;
const STOP_TIMEOUT_MS = 10_000;
const QUOTED_LOG_LINES = 4;

/**
 * Starts nats-server and waits until it accepts connections and JetStream is ready. Writes its
 * output to `server.log` in `folder` and renames the previous log to `server.log.1`. Throws
 * NatsError `not-started` if the server cannot be run, ends, or is not ready within 60 s.
 */
export const startNatsServer = async (start: NatsStart): Promise<NatsProcess> => {
  const logFile = join(start.folder, 'server.log');
  await rename(logFile, `${logFile}.1`).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  // The name distinguishes this server from another server that bound the port first.
  const name = `witan-${randomBytes(8).toString('hex')}`;
  const server = await spawnServer(start, { name, logFile });
  const end = server.exited.then(() => 'ended' as const);
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const outcome = await Promise.race([end, readServerInfo(start.port)]);
    if (outcome === 'ended') throw await notStarted('ended', logFile);
    if (outcome?.server_name === name && outcome.jetstream) return server;
    if (Date.now() > deadline) {
      await server.stop();
      throw await notStarted(`was not ready within ${READY_TIMEOUT_MS / 1000} s`, logFile);
    }
    await Promise.race([end, delay(READY_POLL_MS)]);
  }
};

const spawnServer = async (
  start: NatsStart,
  { name, logFile }: { name: string; logFile: string },
): Promise<NatsProcess> => {
  const { program, folder, storeDir, settingsFile, port } = start;
  const args = ['-c', settingsFile, '-n', name, '-js', '-a', HOST, '-p', `${port}`];
  const log = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(program, [...args, '-sd', storeDir], {
      cwd: folder,
      // Does not inherit the environment of this process, which may contain provider keys.
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', log.fd, log.fd],
      // Ctrl-C is sent to the whole process group. The server must outlive the services, which
      // publish their last events while they stop.
      detached: true,
    });
    const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    await once(child, 'spawn');
    child.unref();
    return { pid: child.pid!, exited, stop: () => stop(child, exited) };
  } catch (cause) {
    throw new NatsError('not-started', `${program} could not be run: ${String(cause)}.`, { cause });
  } finally {
    await log.close();
  }
};

const stop = async (child: ChildProcess, exited: Promise<void>): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // While `stop` is awaited, the child must keep this process alive.
  child.ref();
  child.kill('SIGTERM');
  // A process stopped by SIGSTOP handles SIGTERM only after SIGCONT.
  child.kill('SIGCONT');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
};

const notStarted = async (failure: string, logFile: string): Promise<NatsError> => {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-QUOTED_LOG_LINES);
  const message = `nats-server ${failure}; ${logFile} ends with:\n  ${lines.join('\n  ')}`;
  return new NatsError('not-started', message);
};

export type ServerInfo = { server_name?: string; jetstream?: boolean };

const ANSWER_TIMEOUT_MS = 1_000;
const INFO_BYTES = 64 * 1024;

export const readServerInfo = (port: number): Promise<ServerInfo | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: ANSWER_TIMEOUT_MS });
    let text = '';
    const finish = (info: ServerInfo | undefined): void => {
      socket.destroy();
      resolve(info);
    };
    socket.setEncoding('utf8');
    socket.on('error', () => finish(undefined));
    socket.on('timeout', () => finish(undefined));
    socket.on('close', () => finish(undefined));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n') || text.length > INFO_BYTES) finish(parseInfo(text));
    });
  });

const parseInfo = (text: string): ServerInfo | undefined => {
  const [, json] = /^INFO (\{.*\})\s/.exec(text) ?? [];
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as ServerInfo;
  } catch {
    return undefined;
  }
};
