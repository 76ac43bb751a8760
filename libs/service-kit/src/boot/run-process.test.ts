import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const SERVICE = fileURLToPath(new URL('../../test/run-unready-service.ts', import.meta.url));

describe('a service process whose database is not ready', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-run-process-'));
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    await writeFile(join(folder, 'service-key.pem'), pem);
    await writeFile(join(folder, 'keys.json'), '{}');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  const run = (waitMs: number) => {
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return spawn(process.execPath, [SERVICE, folder, String(waitMs)], { env, stdio: [...stdio] });
  };

  it('logs the failure and exits with 1 and a sentence after its wait', async () => {
    const child = run(0);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    const message = 'PostgreSQL was not ready within 0 s: connect ECONNREFUSED 127.0.0.1:1';
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { level: 'error', service: 'ledger', event: 'service_start_failed', err: { message } },
    ]);
    expect([code, stderr.replace(/^.*ExperimentalWarning.*\n.*\n/, '')]).toEqual([
      1,
      `${message}\n`,
    ]);
  });

  it('exits with 0 on SIGTERM while it waits', async () => {
    const child = run(600_000);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(JSON.parse(line.toString())).toMatchObject({ event: 'database_not_ready' });
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  });
});
