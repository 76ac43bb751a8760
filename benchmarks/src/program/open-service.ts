import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGrpcTransport, createTokenIssuer } from '@witan/service-kit';
import { openProgram } from './open-program.ts';
import type { Program } from './open-program.ts';

/**
 * A running service with the message that it sent when it was ready, and access for its only
 * caller.
 */
export type ServiceUnderTest<Ready> = {
  process: Program<Ready & { grpcPort: number }>;
  /** PEM file with the caller's private key. */
  callerKeyFile: string;
  /** Opens a gRPC connection that authenticates as the caller. */
  connect: () => ReturnType<typeof createGrpcTransport>;
};

export type ServiceOptions = {
  service: 'ledger' | 'agents' | 'notifier';
  caller: 'llm-gateway' | 'api-gateway';
  stateDir: string;
  env: Readonly<Record<string, string>>;
  /**
   * Folder into which Node writes a CPU profile of the service when it ends; no profile if
   * undefined.
   */
  profileDir?: string | undefined;
};

/** Starts a service from its `main.ts`. */
export const openService = async <Ready = object>(
  { service, caller, stateDir, env, profileDir }: ServiceOptions,
  resources: AsyncDisposableStack,
): Promise<ServiceUnderTest<Ready>> => {
  const keys = await writeKeys(join(stateDir, 'keys'), [service, caller]);
  const process = await openProgram<Ready & { grpcPort: number }>(
    {
      file: `../../apps/${service}/src/main.ts`,
      name: service,
      stateDir,
      execArgv: profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [],
      env: {
        WITAN_ENV: 'development',
        WITAN_SECRETS_KEY: randomBytes(32).toString('base64'),
        GRPC_ADDRESS: '127.0.0.1:0',
        ADMIN_HOST: '127.0.0.1',
        ADMIN_PORT: '0',
        WITAN_SERVICE_KEY_FILE: keys.fileOf(service),
        WITAN_SERVICE_PUBLIC_KEYS: keys.publicKeysFile,
        ...env,
      },
    },
    resources,
  );
  return {
    process,
    callerKeyFile: keys.fileOf(caller),
    connect: () => {
      const privateKey = createPrivateKey(keys.privateKeyOf(caller));
      const transport = createGrpcTransport({
        address: `127.0.0.1:${process.ready.grpcPort}`,
        token: createTokenIssuer({ caller, audience: service, privateKey }),
      });
      resources.defer(() => transport.close());
      return transport;
    },
  };
};

/** Creates a private key file for each name, and one file with all public keys. */
const writeKeys = async (dir: string, names: readonly string[]) => {
  await mkdir(dir, { mode: 0o700 });
  const fileOf = (name: string): string => join(dir, `${name}.pem`);
  const publicKeysFile = join(dir, 'public-keys.json');
  const pairs = new Map(names.map((name) => [name, createKeyPair()]));
  for (const [name, { privateKey }] of pairs) {
    await writeFile(fileOf(name), privateKey, { mode: 0o600 });
  }
  const publicKeys = [...pairs].map(([name, { publicKey }]) => [name, publicKey]);
  await writeFile(publicKeysFile, JSON.stringify(Object.fromEntries(publicKeys)));
  return { fileOf, publicKeysFile, privateKeyOf: (name: string) => pairs.get(name)!.privateKey };
};

/** Returns an Ed25519 key pair in PEM. */
export const createKeyPair = () =>
  generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
