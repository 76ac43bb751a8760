import type { BenchContext } from '../../bench.ts';
import { openPostgres, withConnection } from '../../database.ts';
import type { Postgres } from '../../database.ts';
import { openProgram } from '../../program/open-program.ts';
import type { Program } from '../../program/open-program.ts';
import type { MemoryCommand, MemoryResult, Population } from './populate-memories.ts';
import { populateMemories } from './populate-memories.ts';

export type MemoryCaller = Program<object, MemoryCommand, MemoryResult>;

export type RecallTestbed = {
  postgres: Postgres;
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
  { stateDir, preset, log }: Pick<BenchContext, 'stateDir' | 'preset' | 'log'>,
  resources: AsyncDisposableStack,
): Promise<RecallTestbed> => {
  const postgres = await openPostgres({ stateDir, services: ['agents'] }, resources);
  const agents: MemoryCaller = await openProgram(
    { file: 'agents/recall/recalling-caller.ts', args: [postgres.urls['agents']!], stateDir },
    resources,
  );
  const { workspaces } = preset.agents.recall;
  log(`filling ${workspaces} workspaces with memories`);
  const population = await withConnection(postgres.adminUrl, (database) =>
    populateMemories(database, workspaces),
  );
  const args = [postgres.adminUrl, String(CONNECTIONS)];
  const plain: MemoryCaller = await openProgram(
    { file: 'agents/recall/plain-caller.ts', args, stateDir },
    resources,
  );
  return { postgres, agents, plain, population };
};
