import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebhookService } from '@witan/contracts/services';
import { topology } from '@witan/contracts/topology';
import { applyTopology, createClient } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { findNatsServer, HOW_TO_GET_NATS } from '@witan/stack/nats/find-nats-server';
import { openEmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import type { EmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import type pg from 'pg';
import { CannotMeasure } from '../bench.ts';
import type { BenchContext } from '../bench.ts';
import { openConnection, openPostgres } from '../database.ts';
import type { Postgres } from '../database.ts';
import type { LoadResult } from '../load/run-closed-loop.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import { openService } from '../program/open-service.ts';
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
  postgres: Postgres;
  /** A superuser connection, for setup and checks. */
  database: pg.Client;
  nats: EmbeddedNats;
  /** The notifier, started from its `main.ts`. */
  notifier: Program<NotifierReady>;
  /** A client of the notifier that authenticates as the api-gateway. */
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
  const postgres = await openPostgres({ stateDir, services: SERVICES }, resources);
  const { urls } = postgres;
  const database = await openConnection(postgres.adminUrl, resources);
  const { certFile, receiver } = await openReceiver(stateDir, resources);
  const { host, port } = receiver.ready;
  const env = {
    DATABASE_URL: urls['notifier']!,
    NATS_URL: nats.url,
    WITAN_ALLOW_PRIVATE_TARGETS: `${host}:${port}`,
    // There is no ledger: nothing here needs the witnesses of its log.
    LEDGER_ADDRESS: '127.0.0.1:9',
    NODE_EXTRA_CA_CERTS: certFile,
  };
  const options = {
    service: 'notifier',
    caller: 'api-gateway',
    stateDir,
    env,
    profileDir,
  } as const;
  const notifier = await openService<NotifierReady>(options, resources);
  const openEmitter = (schema: string, natsUrl: string): Promise<Emitter> => {
    const args = [schema, urls[schema]!, natsUrl];
    return openProgram({ file: 'webhooks/emitter.ts', args, stateDir, name: schema }, resources);
  };
  return {
    postgres,
    database,
    nats,
    notifier: notifier.process,
    webhooks: createClient(WebhookService, notifier.connect()),
    emitter: await openEmitter('emitter', nats.url),
    receiver,
    poster: await openProgram(
      { file: 'webhooks/posting-loop.ts', args: [certFile, host, String(port)], stateDir },
      resources,
    ),
    isolated: { nats: ownNats, emitter: await openEmitter('relaying', ownNats.url) },
  };
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
  const receiver: Receiver = await openProgram(
    { file: 'webhooks/receiver.ts', args: [certFile, keyFile], stateDir },
    resources,
  );
  return { certFile, receiver };
};
