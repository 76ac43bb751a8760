import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KnowledgeService } from '@witan/contracts/services';
import { createClient, createGrpcTransport, createTokenIssuer } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { openEmbeddedPostgres, provisionDatabases } from '@witan/stack';
import pg from 'pg';
import type { BenchContext } from '../bench.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';

/** The agents service with its own durable PostgreSQL, and a client like the api-gateway's. */
export type KnowledgeTestbed = {
  agents: Program<{ grpcPort: number }>;
  knowledge: Client<typeof KnowledgeService>;
  postgres: { pid: number; adminUrl: string };
  /** A superuser connection, for reads that bypass the service. */
  database: pg.Client;
};

const CALLER = 'api-gateway';
/** Stands for the llm-gateway's network address, because the benchmark makes no completion. */
const UNUSED_ADDRESS = '127.0.0.1:9';

/** Starts PostgreSQL and the agents service from its `main.ts`. */
export const openKnowledgeTestbed = async ({
  stateDir,
  resources,
}: BenchContext): Promise<KnowledgeTestbed> => {
  const dir = join(stateDir, 'postgres');
  const server = await openEmbeddedPostgres({ dir, durable: true, log: () => {} });
  resources.defer(server.stop);
  const adminUrl = server.url;
  const secrets = { agents: randomBytes(16).toString('hex') };
  const urls = await provisionDatabases({ adminUrl, services: ['agents'], secrets });
  const database = new pg.Client({ connectionString: adminUrl });
  await database.connect();
  resources.defer(() => database.end());
  const keys = await writeKeys(join(stateDir, 'keys'));
  const agents = resources.use(
    await openProgram<{ grpcPort: number }>({
      file: '../../apps/agents/src/main.ts',
      logFile: join(stateDir, 'agents.log'),
      env: {
        WITAN_ENV: 'development',
        WITAN_SECRETS_KEY: randomBytes(32).toString('base64'),
        DATABASE_URL: urls.agents!,
        LLM_GATEWAY_ADDRESS: UNUSED_ADDRESS,
        GRPC_ADDRESS: '127.0.0.1:0',
        ADMIN_HOST: '127.0.0.1',
        ADMIN_PORT: '0',
        WITAN_SERVICE_KEY_FILE: keys.agentsFile,
        WITAN_SERVICE_PUBLIC_KEYS: keys.publicKeysFile,
      },
    }),
  );
  const transport = createGrpcTransport({
    address: `127.0.0.1:${agents.ready.grpcPort}`,
    token: createTokenIssuer({ caller: CALLER, audience: 'agents', privateKey: keys.caller }),
  });
  resources.defer(() => transport.close());
  const knowledge = createClient(KnowledgeService, transport);
  return { agents, knowledge, postgres: { pid: server.pid, adminUrl }, database };
};

const writeKeys = async (dir: string) => {
  await mkdir(dir, { mode: 0o700 });
  const [agents, caller] = Array.from({ length: 2 }, () =>
    generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }),
  ) as [{ privateKey: string; publicKey: string }, { privateKey: string; publicKey: string }];
  const agentsFile = join(dir, 'agents.pem');
  const publicKeysFile = join(dir, 'public-keys.json');
  await writeFile(agentsFile, agents.privateKey, { mode: 0o600 });
  const publicKeys = { agents: agents.publicKey, [CALLER]: caller.publicKey };
  await writeFile(publicKeysFile, JSON.stringify(publicKeys));
  return { agentsFile, publicKeysFile, caller: createPrivateKey(caller.privateKey) };
};
