import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { writeSecrets } from 'witan/write-secrets';
import { bundleProgram } from '../src/bundle/bundle-program.ts';
import type { Bundle } from '../src/bundle/bundle-program.ts';
import { PROGRAMS } from '../src/bundle/programs.ts';
import { fetchHealth } from '../src/rehearsal/run-rehearsal.ts';
import { startProgram } from '../src/installation/start-program.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

jest.setTimeout(180_000);

const bundle = (name: string, folder: string): Promise<Bundle> =>
  bundleProgram(
    ROOT,
    PROGRAMS.find((one) => one.name === name)!,
    folder,
  );

describe('a bundle', () => {
  let folder: string;
  let database: TestDatabase;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-bundle-'));
    database = await createTestDatabase(['ledger']);
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it('runs in an empty folder, reports its health and exits cleanly', async () => {
    const programFolder = join(folder, 'ledger');
    const { files, packages } = await bundle('ledger', programFolder);
    expect(Object.keys(files).toSorted()).toEqual(['healthcheck.js', 'main.js']);
    expect(packages).toContainEqual(expect.stringMatching(/^@grpc\/grpc-js@\d+\.\d+\.\d+$/));
    expect(packages).not.toContainEqual(expect.stringMatching(/^(express|jest|esbuild)@/));
    const mount = join(folder, 'secrets', '{service}');
    const [databaseUrl, natsUrl] = ['postgres://nobody@127.0.0.1/none', 'nats://127.0.0.1:1'];
    await writeSecrets({ folder: join(folder, 'secrets'), mount, databaseUrl, natsUrl });
    const program = await startProgram({
      name: 'ledger',
      argv: [`--env-file=${join(folder, 'secrets/ledger/service.env')}`, 'main.js'],
      env: {
        DATABASE_URL: database.urls['ledger']!,
        GRPC_ADDRESS: '127.0.0.1:0',
        ADMIN_HOST: '127.0.0.1',
        ADMIN_PORT: '0',
      },
      cwd: programFolder,
    });
    await eventually(() => fetchHealth(program.grpcPort!));
    expect(await readFile(join(programFolder, 'main.js'), 'utf8')).toContain(
      'CREATE OR REPLACE FUNCTION commit_common_writes(',
    );
    const { port } = new URL(program.adminUrl);
    expect(await checkHealth(programFolder, port)).toBe(0);
    expect(await program.stop()).toBe(0);
    expect(await checkHealth(programFolder, port)).toBe(1);
  });

  it('contains the files of all threads and child processes, including nested ones', async () => {
    const programFolder = join(folder, 'agents');
    const { files } = await bundle('agents', programFolder);
    expect(Object.keys(files).toSorted()).toEqual([
      'document-process-main.js',
      'healthcheck.js',
      'main.js',
      'schema-thread-main.js',
      'watch-process.js',
    ]);
    for (const name of await readdir(programFolder)) {
      const text = await readFile(join(programFolder, name), 'utf8');
      expect(text).not.toMatch(/new URL\(["'][^"']+\.ts["']/);
    }
  });

  it('throws if an import cannot be resolved', async () => {
    const main = join(folder, 'broken.ts');
    await writeFile(main, "import { nothing } from 'a-package-that-is-not-there';\nnothing();\n");
    const program = { name: 'broken', main, isSplit: false, hasConsole: false };
    await expect(bundleProgram('/', program, join(folder, 'broken'))).rejects.toThrow('resolve');
  });
});

const checkHealth = async (cwd: string, adminPort: string): Promise<number> => {
  const env = { ADMIN_PORT: adminPort };
  const child = spawn(process.execPath, ['healthcheck.js'], { cwd, env, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number];
  return code;
};
