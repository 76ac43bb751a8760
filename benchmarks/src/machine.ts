import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { summarizeLatencies } from './load/latency-summary.ts';

/** Description of the machine in a result file, without its host name and folders. */
export type Machine = {
  cpu: string;
  cores: number;
  memoryGb: number;
  kernel: string;
  node: string;
  /** File system of the folder that contains PostgreSQL's data. */
  fileSystem: string;
  /**
   * Median time to write 8 KiB durably, in milliseconds: about the minimum duration of a commit.
   */
  fdatasyncMs: number;
  /** Load average before the benchmark; near 0 on a quiet machine. */
  loadAverage: number;
};

/**
 * The checked-out commit; `changed` is true if files other than results differ from the commit, or
 * if that is unknown.
 */
export type Commit = { hash: string; changed: boolean };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BYTES_PER_GB = 2 ** 30;

/** Describes this machine; `stateDir` is the folder for the databases. */
export const describeMachine = (stateDir: string): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / BYTES_PER_GB),
  kernel: release(),
  node: process.version,
  fileSystem: nameFileSystem(statfsSync(stateDir).type),
  fdatasyncMs: measureFdatasync(stateDir),
  loadAverage: loadavg()[0]!,
});

/** Returns the checked-out commit, or `unknown` without git, for example in an unpacked archive. */
export const describeCommit = (): Commit => {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const hash = git('rev-parse', 'HEAD').trim();
    // Result files are excluded, because they do not change what is measured.
    const changes = git('status', '--porcelain', '--', '.', ':!benchmarks/results');
    return { hash, changed: changes !== '' };
  } catch {
    // git is not installed, or this is not a repository.
    return { hash: 'unknown', changed: true };
  }
};

/** Names of file systems by the magic number that statfs(2) returns. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x794c7630: 'overlay',
  0x01021994: 'tmpfs (commits are not durable)',
};

const nameFileSystem = (type: number): string =>
  FILE_SYSTEMS[type] ?? `type 0x${type.toString(16)}`;

const SYNCS = 50;
const PAGE_BYTES = 8192;

const measureFdatasync = (stateDir: string): number => {
  const file = join(stateDir, 'fdatasync');
  const descriptor = openSync(file, 'w');
  try {
    const page = Buffer.alloc(PAGE_BYTES, 1);
    const samples = Array.from({ length: SYNCS }, () => {
      const startedAt = performance.now();
      writeSync(descriptor, page);
      fdatasyncSync(descriptor);
      return performance.now() - startedAt;
    });
    return summarizeLatencies(samples).p50;
  } finally {
    closeSync(descriptor);
    rmSync(file);
  }
};
