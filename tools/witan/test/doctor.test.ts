import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { applyTopology } from '@witan/service-kit';
import { topology } from '@witan/contracts/topology';
import { findNatsServer } from '@witan/stack/nats/find-nats-server';
import { choosePort } from '@witan/stack/postgres/choose-port';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { createTestDatabase, eventually, NATS_MISSING, openTestNats } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { runDoctor } from '../src/commands/doctor.ts';
import type { Check } from '../src/doctor/check.ts';
import { runChecks } from '../src/doctor/run-checks.ts';
import { writeSecrets } from '../src/secrets/write-secrets.ts';
import { UsageError } from '../src/usage.ts';
import { runWitan } from './run-witan.ts';

jest.setTimeout(120_000);

const DAY_MS = 86_400_000;
const NODE = process.versions.node;

let folder: string;
let home: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witan-doctor-'));
  home = join(folder, 'no-home');
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});
afterAll(() => rm(folder, { recursive: true }));

type Env = Record<string, string>;

const check = async (env: Env): Promise<Map<string, Check>> => {
  const { checks } = await runChecks({ WITAN_HOME: home, ...env }, NODE);
  return new Map(checks.map((one) => [one.name, one]));
};

const writeFileIn = async (name: string, text: string, mode = 0o600): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, text, { mode });
  await chmod(file, mode);
  return file;
};

const openHttp = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const failing = (advice: string) => ({ state: 'fail', advice: expect.stringContaining(advice) });

describe('witan doctor, database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase(['ledger', 'agents'], { isMigrated: true });
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  it('accepts migrated databases, and judges their server once', async () => {
    const found = await check({
      LEDGER_DATABASE_URL: database.urls['ledger']!,
      AGENTS_DATABASE_URL: database.urls['agents']!,
    });
    for (const name of ['database ledger', 'database agents', 'database clock', 'outbox agents']) {
      expect([name, found.get(name)?.state]).toEqual([name, 'ok']);
    }
    expect(found.has('outbox ledger')).toBe(false);
    expect(found.get('database version')?.message).toMatch(/^PostgreSQL \d+\.\d+ at postgres:/);
    expect(found.get('database connections')?.message).toMatch(/^\d+ of \d+ connections in use/);
  });

  it('fails a server that can lose commits', async () => {
    const { rows } = await withClient(database.adminUrl, (client) =>
      client.query<{ fsync: string }>(`SELECT current_setting('fsync') AS fsync`),
    );
    const found = await check({ DATABASE_URL: database.urls['ledger']! });
    const isOff = rows[0]!.fsync === 'off';
    expect(found.get('database durability')).toMatchObject(
      isOff ? failing('fsync = on') : { state: 'ok' },
    );
  });

  it('fails a stopped server', async () => {
    const port = await choosePort({ wanted: 0 });
    const url = `postgres://witan_ledger:hidden-password@127.0.0.1:${port}/witan`;
    const found = await check({ DATABASE_URL: url });
    expect(found.get('database ledger')).toMatchObject(failing('Start PostgreSQL'));
    const invalid = await check({ LEDGER_DATABASE_URL: 'hidden-password@host' });
    expect(invalid.get('database ledger')?.message).toContain('the URL is invalid');
    expect(JSON.stringify([...found.values()])).not.toContain('hidden-password');
  });

  it('fails a wrong password and a missing database', async () => {
    const wrong = new URL(database.urls['ledger']!);
    wrong.password = 'wrong';
    const missing = new URL(database.urls['agents']!);
    missing.pathname = '/witan_test_missing';
    const found = await check({
      LEDGER_DATABASE_URL: wrong.href,
      AGENTS_DATABASE_URL: missing.href,
    });
    expect(found.get('database ledger')).toMatchObject(failing('witan provision'));
    expect(found.get('database agents')).toMatchObject(failing('create it'));
  });

  it('fails pending migrations and a schema without tables', async () => {
    await using empty = await createTestDatabase(['ledger']);
    const before = await check({ DATABASE_URL: empty.urls['ledger']! });
    expect(before.get('database ledger')).toMatchObject(failing('witan migrate ledger'));
    const url = database.urls['agents']!;
    await withClient(url, (client) =>
      client.query(`UPDATE agents.migration SET name = '9999-newer' WHERE name = '0002-tools'`),
    );
    const pending = await check({ DATABASE_URL: url });
    expect(pending.get('database agents')).toMatchObject({
      state: 'fail',
      message: '1 migrations are pending: 0002-tools.',
    });
    await withClient(url, (client) =>
      client.query(`INSERT INTO agents.migration (name) VALUES ('0002-tools')`),
    );
    const newer = await check({ DATABASE_URL: url });
    expect(newer.get('database agents')).toMatchObject({
      state: 'warn',
      message: 'A newer release has migrated it: 9999-newer.',
    });
  });

  it('warns of dead events', async () => {
    const url = database.urls['agents']!;
    await withClient(url, async (client) => {
      await client.query(`SELECT set_config('witan.scope', '*', false)`);
      await client.query(
        `INSERT INTO agents.outbox (id, workspace_id, type, occurred_at, trace, payload,
           dead_at, error_class)
         VALUES (gen_random_uuid(), 'w', 't', now(), '{}', '', now(), 'too large')`,
      );
    });
    const found = await check({ DATABASE_URL: url });
    expect(found.get('outbox agents')).toMatchObject({
      state: 'warn',
      advice: expect.stringContaining('witan republish'),
    });
  });
});

const describeBroker = NATS_MISSING ? describe.skip : describe;

describeBroker(`witan doctor, broker${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  it('fails a broker without the topology until it is applied', async () => {
    await using nats = (await openTestNats())!;
    const before = await check({ NATS_URL: nats.url });
    expect(before.get('broker topology')).toMatchObject(failing('witan topology apply'));
    const [stream] = topology.streams;
    await applyTopology(nats.url, topology);
    const applied = await check({ NATS_URL: nats.url });
    expect(applied.get('broker topology')).toMatchObject({ state: 'ok' });
    await applyTopology(nats.url, { ...topology, streams: [{ ...stream!, maxAgeHours: 1 }] });
    const changed = await check({ NATS_URL: nats.url });
    expect(changed.get('broker topology')?.message).toBe('stream EVENTS is different.');
  });

  it('fails a broker without JetStream, and a refused log-in', async () => {
    const port = await choosePort({ wanted: 0 });
    const program = findNatsServer(process.env['PATH'])!;
    const login = ['--user', 'witan', '--pass', 'hidden'];
    const address = ['-a', '127.0.0.1', '-p', String(port)];
    const server = spawn(program, [...address, ...login], { stdio: 'ignore' });
    cleanups.push(() => server.kill('SIGKILL'));
    const env = { NATS_URL: `nats://witan:hidden@127.0.0.1:${port}` };
    await eventually(async () => (await check(env)).get('broker')?.state === 'ok');
    expect((await check(env)).get('broker jetstream')).toMatchObject(failing('Enable JetStream'));
    const refused = await check({ NATS_URL: `nats://witan:wrong@127.0.0.1:${port}` });
    expect(refused.get('broker')).toMatchObject(failing('Correct user and password'));
  });
});

describe('witan doctor', () => {
  it('fails a broker that does not respond, without its password', async () => {
    const port = await choosePort({ wanted: 0 });
    const found = await check({ NATS_URL: `nats://witan:hidden@127.0.0.1:${port}` });
    expect(found.get('broker')).toMatchObject(failing('Start nats-server'));
    expect(found.get('broker')?.message).toContain(`nats://127.0.0.1:${port}`);
    expect(found.get('broker')?.message).not.toContain('hidden');
  });

  it('fails a refused provider key, and does not print it', async () => {
    const baseUrl = await openHttp((_request, response) => response.writeHead(401).end('{}'));
    const found = await check({ OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: 'sk-hidden' });
    expect(found.get('provider openai')).toMatchObject({
      ...failing('OPENAI_API_KEY'),
      message: `${baseUrl}/v1 refuses the key (HTTP 401).`,
    });
    expect(JSON.stringify([...found.values()])).not.toContain('sk-hidden');
  });

  it('sends the key to no other host', async () => {
    let received = 0;
    const other = await openHttp((_request, response) => {
      received += 1;
      response.end('{"data":[]}');
    });
    const baseUrl = await openHttp((_request, response) =>
      response.writeHead(302, { location: `${other}/v1/models` }).end(),
    );
    const found = await check({ ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: 'sk-hidden' });
    expect(found.get('provider anthropic')).toMatchObject(failing('ANTHROPIC_BASE_URL'));
    expect(received).toBe(0);
  });

  it('fails a default model that is not listed, and accepts one that is', async () => {
    const requests: string[] = [];
    const baseUrl = await openHttp(({ url, headers }, response) => {
      requests.push(`${url} ${headers.authorization}`);
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
      response.end('{"data":[{"id":"gpt-5"},{"id":"gpt-5-mini"}]}');
    });
    const env = { OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: 'sk-hidden' };
    const listed = await check(env);
    expect(listed.get('provider openai')).toMatchObject({ state: 'ok' });
    expect(listed.get('provider openai clock')).toMatchObject(failing('NTP'));
    expect(requests).toEqual(['/v1/models Bearer sk-hidden']);
    const missing = await check({ ...env, WITAN_MODEL_FULL: 'gpt-unknown' });
    expect(missing.get('provider openai')).toMatchObject({
      ...failing('WITAN_MODEL_FULL'),
      message: `${baseUrl}/v1 does not list gpt-unknown.`,
    });
  });

  it('fails a provider that cannot be reached, and settings that exclude a start', async () => {
    const port = await choosePort({ wanted: 0 });
    const unreachable = await check({
      LOCAL_BASE_URL: `http://127.0.0.1:${port}`,
      LOCAL_MODEL: 'm',
    });
    expect(unreachable.get('provider local')).toMatchObject(failing('LOCAL_BASE_URL'));
    const invalid = await check({ WITAN_DEFAULT_PROVIDER: 'anthropic' });
    expect(invalid.get('providers')).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('anthropic, which is not configured'),
    });
  });

  it('fails invalid keys, and accepts those of `witan secrets create`', async () => {
    const secrets = join(folder, 'secrets-of-services');
    await writeSecrets({
      folder: secrets,
      mount: join(secrets, '{service}'),
      databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
      natsUrl: 'nats://127.0.0.1:1',
    });
    const { NATS_URL: _broker, ...env } = parseEnv(
      await readFile(join(secrets, 'ledger/service.env'), 'utf8'),
    ) as Env;
    const good = await check({ ...env, WITAN_SECRETS_KEY: Buffer.alloc(32).toString('base64') });
    for (const name of ['secrets key', 'signing key', 'service keys', 'file modes']) {
      expect([name, good.get(name)?.state]).toEqual([name, 'ok']);
    }
    const bad = await check({
      ...env,
      WITAN_SECRETS_KEY: 'hidden-short',
      WITAN_SIGNING_KEY_FILE: await writeFileIn('not-a-key.pem', 'hidden', 0o644),
      WITAN_SERVICE_KEY_FILE: join(secrets, 'agents/service-key.pem'),
    });
    expect(bad.get('secrets key')).toMatchObject(failing('openssl rand -base64 32'));
    expect(bad.get('signing key')).toMatchObject(failing('backup'));
    expect(bad.get('service keys')).toMatchObject(failing('witan secrets create'));
    expect(bad.get('file modes')).toMatchObject({ state: 'warn' });
    expect(JSON.stringify([...bad.values()])).not.toContain('hidden');
    const missing = await check({ ...env, WITAN_SIGNING_KEY_FILE: join(folder, 'missing.pem') });
    expect(missing.get('signing key')).toMatchObject(failing('Correct the path'));
  });

  it('fails a signing key that the API does not publish, and a refused API key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const published = publicKey.export({ type: 'spki', format: 'pem' });
    const baseUrl = await openHttp((request, response) => {
      const isKey = request.url === '/v1/gateway/public-key';
      response.statusCode = isKey || request.headers['x-api-key'] === 'sk-good' ? 200 : 401;
      response.end(JSON.stringify({ keys: [{ publicKey: published }] }));
    });
    const toFile = (key: typeof privateKey, name: string): Promise<string> =>
      writeFileIn(name, key.export({ type: 'pkcs8', format: 'pem' }).toString());
    const good = await check({
      WITAN_HOME: folder,
      WITAN_BASE_URL: baseUrl,
      WITAN_API_KEY: 'sk-good',
      WITAN_SIGNING_KEY_FILE: await toFile(privateKey, 'published.pem'),
    });
    expect([good.get('api')?.state, good.get('signing key')?.state]).toEqual(['ok', 'ok']);
    const other = generateKeyPairSync('ed25519').privateKey;
    const bad = await check({
      WITAN_HOME: folder,
      WITAN_BASE_URL: baseUrl,
      WITAN_API_KEY: 'sk-hidden',
      WITAN_SIGNING_KEY_FILE: await toFile(other, 'other.pem'),
    });
    expect(bad.get('api')).toMatchObject(failing('witan keys create'));
    expect(bad.get('signing key')).toMatchObject(failing('restart the ledger'));
    expect(JSON.stringify([...bad.values()])).not.toContain('sk-hidden');
    const remote = await check({ WITAN_BASE_URL: baseUrl, WITAN_API_KEY: 'sk-good' });
    expect([...remote.keys()]).toEqual(['node', 'api', 'api clock']);
  });

  it('fails certificates that expired, lack their key or authority, or have another name', async () => {
    const env = { DATABASE_URL: 'postgres://witan_ledger@127.0.0.1:1/none' };
    const toTlsEnv = async (
      names: string[],
      notAfter: Date,
      other?: { key?: string; ca?: string },
    ): Promise<Env> => {
      const { cert, key } = createTestCertificate(names, { notAfter });
      return {
        ...env,
        WITAN_TLS_CERT_FILE: await writeFileIn('tls.crt', cert),
        WITAN_TLS_KEY_FILE: await writeFileIn('tls.key', other?.key ?? key),
        WITAN_TLS_CA_FILE: await writeFileIn('ca.crt', other?.ca ?? cert),
      };
    };
    const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);
    const soon = await check(await toTlsEnv(['ledger'], inDays(1.5)));
    expect(soon.get('tls expiry')).toMatchObject({ state: 'warn' });
    for (const name of ['tls key', 'tls chain', 'tls names']) {
      expect([name, soon.get(name)?.state]).toEqual([name, 'ok']);
    }
    const stranger = createTestCertificate(['agents']);
    const bad = await check(
      await toTlsEnv(['agents'], inDays(-1), { key: stranger.key, ca: stranger.cert }),
    );
    expect(bad.get('tls expiry')).toMatchObject(failing('Renew'));
    expect(bad.get('tls key')).toMatchObject(failing('same Secret'));
    expect(bad.get('tls chain')).toMatchObject(failing('WITAN_TLS_CA_FILE'));
    expect(bad.get('tls names')).toMatchObject(failing('DNS name ledger'));
    const unreadable = await check({ ...env, WITAN_TLS_CERT_FILE: join(folder, 'missing') });
    expect(unreadable.get('tls')).toMatchObject(failing('WITAN_TLS_CERT_FILE'));
  });

  it('checks a home whose system does not run: its port, keys and disk', async () => {
    const idle = join(folder, 'home');
    await mkdir(join(idle, 'secrets'), { recursive: true, mode: 0o700 });
    await writeFile(join(idle, 'secrets/secrets-key'), 'short', { mode: 0o600 });
    const baseUrl = await openHttp((_request, response) => response.end());
    const found = await check({ WITAN_HOME: idle, PORT: new URL(baseUrl).port });
    expect(found.get('port')).toMatchObject(failing('PORT=8090 npm start'));
    expect(found.get('secrets key')).toMatchObject({ state: 'fail' });
    expect(found.get('disk home')?.message).toContain('MiB free');
    expect(found.get('database')).toMatchObject({ state: 'skipped' });
    await writeFile(join(idle, 'postgres-location'), join(folder, 'gone'));
    const lost = await check({ WITAN_HOME: idle });
    expect(lost.get('disk database')?.message).toContain('which is gone');
  });

  it('exits with 1 if a check failed, with 2 for wrong usage, and prints JSON', async () => {
    const port = await choosePort({ wanted: 0 });
    const env = { WITAN_HOME: home, NATS_URL: `nats://127.0.0.1:${port}` };
    const json = await runWitan(['doctor', '--json'], env);
    expect([json.code, json.stderr]).toEqual([1, '']);
    const { ok, checks } = JSON.parse(json.stdout) as { ok: boolean; checks: Check[] };
    expect(ok).toBe(false);
    expect(checks.find(({ name }) => name === 'broker')).toMatchObject({ state: 'fail' });
    const text = await runWitan(['doctor'], { WITAN_HOME: home, PORT: String(port) });
    expect(text.stdout).toContain(`Checks of the system in ${home}`);
    expect(text.code).toBe(0);
    await expect(runDoctor(['--all'])).rejects.toBeInstanceOf(UsageError);
  });
});
