import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

export type Start = {
  name: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
};

export type RunningProgram = {
  name: string;
  startMs: number;
  adminUrl: string;
  grpcPort: number | undefined;
  httpUrl: string | undefined;
  rssBytes: () => Promise<number>;
  stop: () => Promise<number | null>;
};

type Ready = { adminUrl: string; grpcPort?: number; httpUrl?: string };

const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 60_000;
const KIBIBYTE = 1024;
const QUOTED_CHARACTERS = 4_000;

export const startProgram = async (start: Start): Promise<RunningProgram> => {
  const { name } = start;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...start.argv], {
    cwd: start.cwd,
    env: start.env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  const append = (chunk: Buffer): void => {
    output = `${output}${chunk.toString()}`.slice(-QUOTED_CHARACTERS);
  };
  child.stdout!.on('data', append);
  child.stderr!.on('data', append);
  const exited = once(child, 'exit');
  const readyMessage = once(child, 'message').then(
    ([message]) => (message as { ready: Ready }).ready,
  );
  const ready = await Promise.race([
    readyMessage,
    exited.then(() => undefined),
    resolveAfter(START_TIMEOUT_MS),
  ]);
  if (ready === undefined) {
    child.kill('SIGKILL');
    throw new Error(`${name} did not start:\n${output}`);
  }
  return {
    name,
    startMs: Math.round(performance.now() - startedAt),
    adminUrl: ready.adminUrl,
    grpcPort: ready.grpcPort,
    httpUrl: ready.httpUrl,
    rssBytes: () => readRssBytes(child.pid!),
    stop: () => stopProcess(child),
  };
};

const resolveAfter = async (timeoutMs: number): Promise<undefined> => {
  await once(AbortSignal.timeout(timeoutMs), 'abort');
};

/**
 * Sends SIGTERM, after 60 s also SIGKILL, and returns the exit code, or null if a signal ended the
 * process.
 */
export const stopProcess = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
  return child.exitCode;
};

const readRssBytes = async (pid: number): Promise<number> => {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) * KIBIBYTE;
};
