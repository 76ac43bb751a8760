import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openEmbeddedPostgres, provisionDatabases } from '@witan/stack';
import pg from 'pg';
import type { BenchContext } from '../../bench.ts';
import { openProgram } from '../../program/open-program.ts';
import type { Program } from '../../program/open-program.ts';
import type { MemoryCommand, MemoryResult } from './memory-order.ts';
import { populateMemories } from './populate-memories.ts';
import type { Population } from './populate-memories.ts';

export type MemoryCaller = Program<object, MemoryCommand, MemoryResult>;

export type RecallTestbed = {
  postgres: { pid: number; adminUrl: string };
  /** A process that calls the storage of the agents service. */
  agents: MemoryCaller;
  /** A process that runs plain `pg` statements on a copy of the memory table. */
  plain: MemoryCaller;
  population: Population;
};

/** Pool size of the agents service's storage. The plain caller uses the same size. */
export const CONNECTIONS = 5;

/**
 * Starts a durable PostgreSQL, applies the migrations of the agents service, and inserts the
 * memories.
 */
export const openRecallTestbed = async (
  { stateDir, pace, log }: Pick<BenchContext, 'stateDir' | 'pace' | 'log'>,
  resources: AsyncDisposableStack,
): Promise<RecallTestbed> => {
  const dir = join(stateDir, 'memories');
  const server = await openEmbeddedPostgres({ dir, durable: true, log: () => {} });
  resources.defer(server.stop);
  const secrets = { agents: randomBytes(16).toString('hex') };
  const services = ['agents'];
  const urls = await provisionDatabases({ adminUrl: server.url, services, secrets });
  const agents = resources.use(
    await openProgram<object, MemoryCommand, MemoryResult>({
      file: 'agents/recall/recalling-caller.ts',
      args: [urls['agents']!],
      logFile: join(stateDir, 'recalling.log'),
    }),
  );
  const { workspaces } = pace.agents.recall;
  log(`filling ${workspaces} workspaces with memories`);
  const population = await fill(server.url, workspaces);
  const plain = resources.use(
    await openProgram<object, MemoryCommand, MemoryResult>({
      file: 'agents/recall/plain-caller.ts',
      args: [server.url, String(CONNECTIONS)],
      logFile: join(stateDir, 'plain.log'),
    }),
  );
  return { postgres: { pid: server.pid, adminUrl: server.url }, agents, plain, population };
};

const fill = async (connectionString: string, workspaces: number): Promise<Population> => {
  const database = new pg.Client({ connectionString });
  await database.connect();
  try {
    return await populateMemories(database, workspaces);
  } finally {
    await database.end();
  }
};
