import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedPostgres, provisionDatabases } from '@witan/stack';
import { meteringEnv } from '../metering.ts';
import type { Metering } from '../metering.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';

export type LedgerUnderTest = {
  process: Program<{ grpcPort: number }>;
  postgres: { pid: number; adminUrl: string };
  /** PEM file with the private key of the llm-gateway, the only service that may write. */
  callerKeyFile: string;
};

const CALLER = 'llm-gateway';

export type LedgerOptions = {
  stateDir: string;
  metering: Metering;
  /**
   * Folder into which Node writes a CPU profile of the ledger when it ends; no profile if
   * undefined.
   */
  profileDir?: string;
};

/** Starts PostgreSQL and the ledger from its `main.ts`. */
export const openLedger = async (
  { stateDir, metering, profileDir }: LedgerOptions,
  resources: AsyncDisposableStack,
): Promise<LedgerUnderTest> => {
  const dir = join(stateDir, 'postgres');
  const server = await openEmbeddedPostgres({ dir, durable: true, log: () => {} });
  resources.defer(server.stop);
  const secrets = { ledger: randomBytes(16).toString('hex') };
  const adminUrl = server.url;
  const urls = await provisionDatabases({ adminUrl, services: ['ledger'], secrets });
  const keys = await writeKeys(join(stateDir, 'keys'));
  const ledger = resources.use(
    await openProgram<{ grpcPort: number }>({
      file: '../../apps/ledger/src/main.ts',
      logFile: join(stateDir, 'ledger.log'),
      execArgv: profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [],
      env: {
        WITAN_ENV: 'development',
        ...meteringEnv(metering),
        DATABASE_URL: urls.ledger!,
        GRPC_ADDRESS: '127.0.0.1:0',
        ADMIN_HOST: '127.0.0.1',
        ADMIN_PORT: '0',
        WITAN_SIGNING_KEY_FILE: keys.signing,
        WITAN_SERVICE_KEY_FILE: keys.ledger,
        WITAN_SERVICE_PUBLIC_KEYS: keys.publicKeys,
      },
    }),
  );
  return {
    process: ledger,
    postgres: { pid: server.pid, adminUrl },
    callerKeyFile: keys.caller,
  };
};

type KeyFiles = { signing: string; ledger: string; caller: string; publicKeys: string };

const writeKeys = async (dir: string): Promise<KeyFiles> => {
  await mkdir(dir, { mode: 0o700 });
  const write = async (name: string, key: KeyObject): Promise<string> => {
    const file = join(dir, `${name}.pem`);
    await writeFile(file, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    return file;
  };
  const [signing, ledger, caller] = Array.from(
    { length: 3 },
    () => generateKeyPairSync('ed25519').privateKey,
  ) as [KeyObject, KeyObject, KeyObject];
  const publicPem = (key: KeyObject): string =>
    createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  const publicKeys = join(dir, 'public-keys.json');
  const text = JSON.stringify({ ledger: publicPem(ledger), [CALLER]: publicPem(caller) });
  await writeFile(publicKeys, text);
  return {
    signing: await write('signing', signing),
    ledger: await write('ledger', ledger),
    caller: await write('caller', caller),
    publicKeys,
  };
};
