import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CATALOGUE } from '@witan/stack/system/catalogue';
import { runSecrets } from '../src/commands/secrets.ts';
import { UsageError } from '../src/usage.ts';
import { writeSecrets } from '../src/secrets/write-secrets.ts';

describe('witan secrets create', () => {
  let folder: string;
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const readEnv = async (name: string) => parseEnv(await read(`${name}/service.env`));
  const write = (): Promise<void> =>
    writeSecrets({
      folder,
      mount: join(folder, '{service}'),
      databaseUrl: 'postgres://root@db:5432/witan',
      natsUrl: 'nats://broker:4222',
    });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-secrets-'));
    await write();
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('creates all required secrets, with a different key for each service', async () => {
    const addresses = CATALOGUE.map(({ name }) => name.toUpperCase().replaceAll('-', '_'));
    const keys = new Set<string>();
    for (const { name, load } of CATALOGUE) {
      const env: Record<string, string | undefined> = await readEnv(name);
      const given = Object.fromEntries(addresses.map((one) => [`${one}_ADDRESS`, 'x:1']));
      expect(() => load({ ...env, ...given, WITAN_DEFAULT_PROVIDER: 'offline' })).not.toThrow();
      const pem = await readFile(env['WITAN_SERVICE_KEY_FILE']!);
      const publicKey = createPublicKey(createPrivateKey(pem));
      const known = JSON.parse(await readFile(env['WITAN_SERVICE_PUBLIC_KEYS']!, 'utf8'));
      expect(known[name]).toBe(publicKey.export({ type: 'spki', format: 'pem' }));
      keys.add(known[name]);
    }
    expect(keys.size).toBe(CATALOGUE.length);
  });

  it('gives each service only its own password, and makes files readable by their owner only', async () => {
    const operator: Record<string, string | undefined> = await readEnv('operator');
    const ledger = await read('ledger/service.env');
    expect(ledger).toContain(operator['LEDGER_DATABASE_URL']);
    const others = Object.entries(operator).filter(([name]) => name !== 'LEDGER_DATABASE_URL');
    for (const [, url] of others) expect(ledger).not.toContain(url!);
    expect((await stat(join(folder, 'ledger/service.env'))).mode & 0o777).toBe(0o400);
    const admin = new URL(operator['DATABASE_URL']!);
    expect([admin.username, admin.password]).toEqual(['root', await read('postgres/password')]);
  });

  it('keeps the user and the password of a URL, also with characters that URLs escape', async () => {
    const own = await mkdtemp(join(tmpdir(), 'witan-secrets-'));
    const readGiven = async (name: string) =>
      parseEnv(await readFile(join(own, name, 'service.env'), 'utf8'));
    const given = {
      databaseUrl: 'postgres://root:p%40ss%25%3A@db:5432/witan',
      natsUrl: 'nats://me:q%22uote%2F@broker:4222',
    };
    await writeSecrets({ folder: own, mount: own, ...given });
    const operator = await readGiven('operator');
    expect([operator['DATABASE_URL'], operator['NATS_URL']]).toEqual([
      given.databaseUrl,
      given.natsUrl,
    ]);
    expect((await readGiven('agents'))['NATS_URL']).toBe(given.natsUrl);
    expect((await readGiven('agents'))['DATABASE_URL']).not.toContain('p%40ss');
    expect(await readFile(join(own, 'postgres/password'), 'utf8')).toBe('p@ss%:');
    expect(await readFile(join(own, 'nats/authorization.conf'), 'utf8')).toBe(
      'authorization { user: "me", password: "q\\"uote/" }\n',
    );
    await rm(own, { recursive: true });
  });

  it('changes no existing secret and adds missing ones', async () => {
    const before = await read('ledger/service.env');
    const key = await read('ledger/signing-key.pem');
    await rm(join(folder, 'simulation'), { recursive: true });
    await write();
    expect(await read('ledger/service.env')).toBe(before);
    expect(await read('ledger/signing-key.pem')).toBe(key);
    expect(await read('all/signing-key.pem')).toBe(key);
    const known = JSON.parse(await read('ledger/service-public-keys.json')) as object;
    const own = createPublicKey(createPrivateKey(await read('simulation/service-key.pem')));
    expect(known).toMatchObject({ simulation: own.export({ type: 'spki', format: 'pem' }) });
    const files = await readdir(folder, { recursive: true });
    expect(files.filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it.each([
    ['no folder', ['create']],
    ['no action', []],
    ['a database without a user', ['create', 'x', '--database', 'postgres://db/witan']],
    ['a broker that is not a URL', ['create', 'x', '--nats', 'broker']],
  ])('rejects invalid usage before writing anything: %s', async (_name, argv) => {
    await expect(runSecrets(argv)).rejects.toBeInstanceOf(UsageError);
  });
});
