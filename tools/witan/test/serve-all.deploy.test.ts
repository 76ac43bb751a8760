import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { choosePort } from '@witan/stack/postgres/choose-port';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { databaseVariable } from '../src/config.ts';
import { writeSecrets } from '../src/secrets/write-secrets.ts';
import { runWitan } from './run-witan.ts';

const SERVICES = ['ledger', 'llm-gateway', 'notifier', 'agents', 'simulation', 'api-gateway'];
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

jest.setTimeout(180_000);

describe('witan serve all', () => {
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  const cleanups: (() => unknown)[] = [];
  beforeAll(async () => {
    database = await createTestDatabase(SERVICES);
    folder = await mkdtemp(join(tmpdir(), 'witan-serve-all-'));
    const databaseUrl = 'postgres://nobody@127.0.0.1/none';
    const natsUrl = 'nats://127.0.0.1:1';
    await writeSecrets({ folder, mount: join(folder, '{service}'), databaseUrl, natsUrl });
    const urls = Object.entries(database.urls).map(([name, url]) => [databaseVariable(name), url]);
    env = {
      ...parseEnv(await readFile(join(folder, 'all/service.env'), 'utf8')),
      ...Object.fromEntries(urls),
      WITAN_HOST: '127.0.0.1',
      ADMIN_HOST: '127.0.0.1',
      PORT: String(await choosePort({ wanted: 0 })),
      ADMIN_PORT: String(await choosePort({ wanted: 0 })),
      LOG_LEVEL: 'info',
      WITAN_DEFAULT_PROVIDER: 'offline',
      // Without a broker, events move within the process.
      NATS_URL: '',
    };
  });
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it('reports all missing settings in one message and creates nothing', async () => {
    const { code, stderr } = await runWitan(['serve', 'all'], {});
    expect(code).toBe(2);
    for (const service of SERVICES) {
      expect(stderr).toContain(`${databaseVariable(service)} is required`);
    }
    expect(stderr.match(/WITAN_SECRETS_KEY is required/g)).toHaveLength(1);
    expect(stderr).toContain('WITAN_SIGNING_KEY_FILE is required');
    expect(stderr).toContain('no model provider is configured');
    expect(stderr).not.toContain('SERVICE_KEY_FILE');
    expect(stderr).not.toContain('_ADDRESS');
    expect(stderr).not.toContain('NATS_URL');
  });

  it('serves a certified call and exits cleanly', async () => {
    const child = spawn(process.execPath, [MAIN, 'serve', 'all'], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanups.push(() => child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    await waitUntilReady(child.stdout);
    const admin = `http://127.0.0.1:${env['ADMIN_PORT']}`;
    const checks = Object.fromEntries(SERVICES.map((service) => [service, 'ok']));
    await eventually(() => fetch(`${admin}/readyz`).then(({ ok }) => ok, returnFalse));
    expect(await (await fetch(`${admin}/readyz`)).json()).toEqual({ ready: true, checks });
    expect((await fetch(`${admin}/metrics`)).status).toBe(404);
    const made = await runWitan(['workspace', 'create', 'all', '--json'], {
      DATABASE_URL: database.urls['api-gateway']!,
    });
    const { apiKey } = JSON.parse(made.stdout) as { apiKey: string };
    const base = `http://127.0.0.1:${env['PORT']}`;
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const messages = [{ role: 'user', content: 'Say hello.' }];
    const answer = await fetch(`${base}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'service-auto', messages }),
    });
    expect(answer.status).toBe(200);
    const proof = answer.headers.get('x-service-proof');
    const verified = await fetch(`${base}/v1/proofs/${proof}/verify`, { headers });
    expect(await verified.json()).toMatchObject({ valid: true });
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('starts nothing if its admin port is in use', async () => {
    const envWithPortInUse = { ...env, ADMIN_PORT: new URL(database.adminUrl).port };
    const { code, stderr } = await runWitan(['serve', 'all'], envWithPortInUse);
    expect([code, stderr]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
  });
});

const waitUntilReady = async (stdout: Readable): Promise<void> => {
  let count = 0;
  for await (const line of createInterface(stdout)) {
    if ((JSON.parse(line) as { event?: string }).event === 'service_ready') count += 1;
    if (count === SERVICES.length) break;
  }
  stdout.resume();
};

const returnFalse = (): boolean => false;
