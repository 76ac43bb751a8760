import type { Postgres } from '../../database.ts';
import { openProgram } from '../../program/open-program.ts';
import type { GatewaySystem } from '../open-systems.ts';
import { PIECE_NAMES } from './pieces.ts';

type FloorOptions = {
  stateDir: string;
  providerUrl: string;
  database: Postgres;
  /** Number of its pieces; by default all. */
  pieces?: number;
};

export const openFloor = async (
  { stateDir, providerUrl, database, pieces = PIECE_NAMES.length }: FloorOptions,
  resources: AsyncDisposableStack,
): Promise<GatewaySystem> => {
  const args = [providerUrl, String(pieces), database.adminUrl];
  const options = { file: 'gateway/floor/floor.ts', args, stateDir };
  const floor = await openProgram<{ url: string }>(options, resources);
  return {
    name: 'floor',
    role: 'floor',
    url: floor.ready.url,
    headers: { authorization: 'Bearer sk-floor' },
    processes: { floor: floor.pid, postgres: database.pid },
  };
};
