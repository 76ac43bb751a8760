import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { choosePort } from './choose-port.ts';
import { errorCode, PostgresError } from './postgres-error.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { postgresArguments, SERVER_ENVIRONMENT } from './postgres-settings.ts';
import { findPostmasterFile } from './postmaster-file.ts';
import type { ServerAccount } from './server-account.ts';
import { shutDownServer } from './end-previous-server.ts';

export type ServerExit = { code: number | null; signal: NodeJS.Signals | null };

export type ServerProcess = {
  pid: number;
  port: number;
  exited: Promise<ServerExit>;
  stop: () => Promise<void>;
};

export type ServerStart = {
  folder: string;
  dataDir: string;
  binaries: PostgresBinaries;
  account: ServerAccount | undefined;
  durable: boolean;
  port: number;
  preferredPort?: number;
};

const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 10;
const RETRY_PAUSE_MS = 200;
const PORT_ATTEMPTS = 5;
const QUOTED_LOG_LINES = 8;

/**
 * Starts PostgreSQL and waits until it accepts connections. Writes its output to `server.log` in
 * `folder` and renames the previous log to `server.log.1`. Throws PostgresError if the port is
 * taken, or if the server cannot be run, ends, or is not ready within 120 s.
 */
export async function startServer(start: ServerStart): Promise<ServerProcess> {
  const logFile = join(start.folder, 'server.log');
  await retainPreviousLog(logFile);
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let portsTried = 0;
  let preferred = start.preferredPort;
  for (;;) {
    const port = await choosePort({ wanted: start.port, preferred });
    const logStart = (await stat(logFile).catch(ignoreMissing))?.size ?? 0;
    const { server, exit } = await tryStart(start, { port, logFile, deadline });
    if (exit === undefined) return server;
    const output = (await readFile(logFile, 'utf8')).slice(logStart);
    if (/Address already in use/.test(output) && portsTried < PORT_ATTEMPTS) {
      portsTried += 1;
      preferred = undefined;
    } else if (/pre-existing shared memory block/.test(output) && Date.now() < deadline) {
      await delay(RETRY_PAUSE_MS);
    } else {
      throw notStarted(`ended with ${exit.signal ?? `code ${exit.code}`}`, logFile, output);
    }
  }
}

async function tryStart(
  start: ServerStart,
  run: { port: number; logFile: string; deadline: number },
): Promise<{ server: ServerProcess; exit: ServerExit | undefined }> {
  const server = await spawnServer(start, run);
  for (;;) {
    const exit = await Promise.race([server.exited, delay(READY_POLL_MS)]);
    if (exit !== undefined) return { server, exit };
    const state = await findPostmasterFile(start.dataDir);
    if (state?.pid === server.pid && state.isReady) return { server, exit: undefined };
    if (Date.now() > run.deadline) {
      await server.stop();
      const timeoutMessage = `was not ready within ${READY_TIMEOUT_MS / 1000} s`;
      throw notStarted(timeoutMessage, run.logFile, await readFile(run.logFile, 'utf8'));
    }
  }
}

async function spawnServer(
  start: ServerStart,
  run: { port: number; logFile: string },
): Promise<ServerProcess> {
  const { port } = run;
  const args = postgresArguments(start.dataDir, { port, durable: start.durable });
  const log = await open(run.logFile, 'a', 0o600);
  try {
    const child = spawn(start.binaries.postgres, args, {
      cwd: start.folder,
      env: SERVER_ENVIRONMENT,
      stdio: ['ignore', log.fd, log.fd],
      // Ctrl-C is sent to the whole process group. The server must outlive the services, which
      // finish their writes while they stop.
      detached: true,
      ...start.account,
    });
    const exited = new Promise<ServerExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await once(child, 'spawn');
    child.unref();
    return { pid: child.pid ?? 0, port, exited, stop: () => stop(child, exited) };
  } catch (cause) {
    const message = `${start.binaries.postgres} could not be run: ${String(cause)}.`;
    throw new PostgresError('not-started', message, { cause });
  } finally {
    await log.close();
  }
}

async function stop(child: ChildProcess, exited: Promise<ServerExit>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // While `stop` is awaited, the child must keep this process alive.
  child.ref();
  await shutDownServer(child.pid ?? 0, (timeoutMs) => endsWithin(exited, timeoutMs));
}

async function endsWithin(exited: Promise<ServerExit>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  const expired = delay(timeoutMs, false, { signal: timer.signal });
  const isEnded = await Promise.race([exited.then(() => true), expired]);
  expired.catch(() => undefined);
  timer.abort();
  return isEnded;
}

async function retainPreviousLog(logFile: string): Promise<void> {
  await rename(logFile, `${logFile}.1`).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

function notStarted(failure: string, logFile: string, output: string): PostgresError {
  const lines = output.trim().split('\n').slice(-QUOTED_LOG_LINES).join('\n');
  return new PostgresError(
    'not-started',
    `PostgreSQL ${failure}. The end of ${logFile}:\n${lines}`,
  );
}
