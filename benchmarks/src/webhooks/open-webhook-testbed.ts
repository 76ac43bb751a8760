import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebhookService } from '@witan/contracts/services';
import { topology } from '@witan/contracts/topology';
import {
  applyTopology,
  createClient,
  createGrpcTransport,
  createTokenIssuer,
} from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { openEmbeddedPostgres, provisionDatabases } from '@witan/stack';
import { findNatsServer, HOW_TO_GET_NATS } from '@witan/stack/nats/find-nats-server';
import { openEmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import type { EmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import pg from 'pg';
import { CannotMeasure } from '../bench.ts';
import type { BenchContext } from '../bench.ts';
import type { LoadResult } from '../load/summarize-load.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import type { EmitterAnswer, EmitterCommand } from './emitter.ts';
import type { PostingCommand } from './posting-loop.ts';
import type { ReceiverCommand, ReceiverReport } from './receiver.ts';

export type Emitter = Program<object, EmitterCommand, EmitterAnswer>;
/** A process that receives POSTs. It responds with a number to all orders except `report`. */
export type Receiver = Program<
  { host: string; port: number },
  ReceiverCommand,
  ReceiverReport & number
>;
type NotifierReady = { grpcPort: number; adminUrl: string };
export type Poster = Program<object, PostingCommand, LoadResult>;

/**
 * The processes of the webhook benchmark: those that a delivery passes through, and the references.
 */
export type WebhookTestbed = {
  postgres: { pid: number; adminUrl: string };
  /** A superuser connection, for setup and checks. */
  database: pg.Client;
  nats: EmbeddedNats;
  /** The notifier, started from its `main.ts`. */
  notifier: Program<NotifierReady>;
  /** A client of the notifier like the api-gateway's. */
  webhooks: Client<typeof WebhookService>;
  emitter: Emitter;
  receiver: Receiver;
  poster: Poster;
  /** An emitter with its own broker, so that its events have no consumer. */
  isolated: { nats: EmbeddedNats; emitter: Emitter };
};

export type WebhookTestbedOptions = {
  /**
   * Folder into which Node writes a CPU profile of the notifier when it ends; no profile if
   * undefined.
   */
  profileDir?: string;
};

const CALLER = 'api-gateway';
const SERVICES = ['notifier', 'emitter', 'relaying'];

/** Starts all processes of the benchmark. Throws CannotMeasure if there is no nats-server. */
export const openWebhookTestbed = async (
  { stateDir, resources }: BenchContext,
  { profileDir }: WebhookTestbedOptions = {},
): Promise<WebhookTestbed> => {
  const program = findNatsServer(process.env.PATH);
  if (!program)
    throw new CannotMeasure(`No nats-server was found. To get one: ${HOW_TO_GET_NATS}.`);
  const nats = await openNats(program, join(stateDir, 'nats'), resources);
  const ownNats = await openNats(program, join(stateDir, 'nats-of-relay'), resources);
  const dir = join(stateDir, 'postgres');
  const server = await openEmbeddedPostgres({ dir, durable: true, log: () => {} });
  resources.defer(server.stop);
  const adminUrl = server.url;
  const secrets = Object.fromEntries(SERVICES.map((one) => [one, randomBytes(16).toString('hex')]));
  const urls = await provisionDatabases({ adminUrl, services: SERVICES, secrets });
  const database = new pg.Client({ connectionString: adminUrl });
  await database.connect();
  resources.defer(() => database.end());
  const { certFile, receiver } = await openReceiver(stateDir, resources);
  const { host, port } = receiver.ready;
  const env = {
    DATABASE_URL: urls.notifier!,
    NATS_URL: nats.url,
    WITAN_ALLOW_PRIVATE_TARGETS: `${host}:${port}`,
    NODE_EXTRA_CA_CERTS: certFile,
  };
  const notifier = await openNotifier({ stateDir, profileDir, env }, resources);
  const openEmitter = async (schema: string, natsUrl: string): Promise<Emitter> =>
    resources.use(
      await openProgram({
        file: 'webhooks/emitter.ts',
        args: [schema, urls[schema]!, natsUrl],
        logFile: join(stateDir, `${schema}.log`),
      }),
    );
  const poster = await openProgram<object, PostingCommand, LoadResult>({
    file: 'webhooks/posting-loop.ts',
    args: [certFile, host, String(port)],
    logFile: join(stateDir, 'poster.log'),
  });
  return {
    postgres: { pid: server.pid, adminUrl },
    database,
    nats,
    ...notifier,
    emitter: await openEmitter('emitter', nats.url),
    receiver,
    poster: resources.use(poster),
    isolated: { nats: ownNats, emitter: await openEmitter('relaying', ownNats.url) },
  };
};

type NotifierOptions = {
  stateDir: string;
  profileDir: string | undefined;
  env: Readonly<Record<string, string>>;
};

/** Starts the notifier from its `main.ts` and opens a client like the api-gateway's. */
const openNotifier = async (
  { stateDir, profileDir, env }: NotifierOptions,
  resources: AsyncDisposableStack,
): Promise<Pick<WebhookTestbed, 'notifier' | 'webhooks'>> => {
  const keys = await writeKeys(join(stateDir, 'keys'));
  const notifier = resources.use(
    await openProgram<NotifierReady>({
      file: '../../apps/notifier/src/main.ts',
      logFile: join(stateDir, 'notifier.log'),
      execArgv: profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [],
      env: {
        ...env,
        WITAN_ENV: 'development',
        WITAN_SECRETS_KEY: randomBytes(32).toString('base64'),
        GRPC_ADDRESS: '127.0.0.1:0',
        ADMIN_HOST: '127.0.0.1',
        ADMIN_PORT: '0',
        WITAN_SERVICE_KEY_FILE: keys.notifierFile,
        WITAN_SERVICE_PUBLIC_KEYS: keys.publicKeysFile,
      },
    }),
  );
  const transport = createGrpcTransport({
    address: `127.0.0.1:${notifier.ready.grpcPort}`,
    token: createTokenIssuer({ caller: CALLER, audience: 'notifier', privateKey: keys.caller }),
  });
  resources.defer(() => transport.close());
  return { notifier, webhooks: createClient(WebhookService, transport) };
};

const openNats = async (
  program: string,
  dir: string,
  resources: AsyncDisposableStack,
): Promise<EmbeddedNats> => {
  const nats = await openEmbeddedNats({ program, dir, log: () => {} });
  resources.defer(nats.stop);
  await applyTopology(nats.url, topology);
  return nats;
};

const openReceiver = async (
  stateDir: string,
  resources: AsyncDisposableStack,
): Promise<{ certFile: string; receiver: Receiver }> => {
  const { cert, key } = createTestCertificate(['localhost'], { kind: 'p256' });
  const certFile = join(stateDir, 'receiver.crt');
  const keyFile = join(stateDir, 'receiver.key');
  await writeFile(certFile, cert);
  await writeFile(keyFile, key, { mode: 0o600 });
  const receiver = resources.use(
    await openProgram<Receiver['ready'], ReceiverCommand, ReceiverReport & number>({
      file: 'webhooks/receiver.ts',
      args: [certFile, keyFile],
      logFile: join(stateDir, 'receiver.log'),
    }),
  );
  return { certFile, receiver };
};

type Keys = { notifierFile: string; publicKeysFile: string; caller: KeyObject };

const writeKeys = async (dir: string): Promise<Keys> => {
  await mkdir(dir, { mode: 0o700 });
  const [notifier, caller] = Array.from({ length: 2 }, () =>
    generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }),
  ) as [{ privateKey: string; publicKey: string }, { privateKey: string; publicKey: string }];
  const notifierFile = join(dir, 'notifier.pem');
  const publicKeysFile = join(dir, 'public-keys.json');
  await writeFile(notifierFile, notifier.privateKey, { mode: 0o600 });
  const publicKeys = { notifier: notifier.publicKey, [CALLER]: caller.publicKey };
  await writeFile(publicKeysFile, JSON.stringify(publicKeys));
  return { notifierFile, publicKeysFile, caller: createPrivateKey(caller.privateKey) };
};
