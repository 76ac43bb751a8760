import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { summarizeLatencies } from './load/latency-summary.ts';

/** The machine of a result, without its name and folders. */
export type Machine = {
  cpu: string;
  cores: number;
  memoryGb: number;
  kernel: string;
  node: string;
  /** File system of the folder for PostgreSQL. */
  fileSystem: string;
  /** Median time to make 8 KiB durable: the minimum for every commit. */
  fdatasyncMs: number;
  /** Load average before the benchmark; near 0 on a quiet machine. */
  loadAverage: number;
};

/** The measured commit; `changed` if files differ from it. */
export type Commit = { hash: string; changed: boolean };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BYTES_PER_GB = 2 ** 30;

/** Describes this machine; `stateDir` is where the databases will be. */
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

/** Returns the checked-out commit; an unpacked archive has none. */
export const describeCommit = (): Commit => {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const hash = git('rev-parse', 'HEAD').trim();
    // Earlier results do not change what is measured.
    const changes = git('status', '--porcelain', '--', '.', ':!benchmarks/results');
    return { hash, changed: changes !== '' };
  } catch {
    // There is no git, or no repository.
    return { hash: 'unknown', changed: true };
  }
};

/** Magic numbers of statfs(2). */
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
