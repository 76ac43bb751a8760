import type { BenchContext } from '../../bench.ts';
import type { Postgres } from '../../database.ts';
import { measureRow, runWarmUp } from '../../measure-row.ts';
import { toTable } from '../../report/print-report.ts';
import type { Table } from '../../report/print-report.ts';
import { createGatewayTarget } from '../create-target.ts';
import { BUSY, GATEWAY_LOADS, MAIN_LOADS } from '../gateway-loads.ts';
import type { HttpClients, Provider } from '../open-systems.ts';
import { openFloor } from './open-floor.ts';
import { PIECE_NAMES, PIECES } from './pieces.ts';

/** CPU microseconds per call, and p50 in milliseconds of one call alone, with the pieces so far. */
export type FloorStep = { piece: string; work: string } & Record<Load, number> & {
    aloneMs: number;
  };

type Load = 'plainMicros' | 'streamedMicros';

const MICROS_PER_MS = 1_000;

/** Measures the floor with one piece after the other, in a process of its own each. */
export const measureFloor = async (
  shared: { provider: Provider; clients: HttpClients; database: Postgres },
  { preset: { gateway }, stateDir, resources, log }: BenchContext,
): Promise<FloorStep[]> => {
  const { provider, clients, database } = shared;
  const steps: FloorStep[] = [];
  const loads = GATEWAY_LOADS.filter(({ name }) => MAIN_LOADS.includes(name));
  for (const [index, piece] of PIECE_NAMES.entries()) {
    log(`measuring the floor up to ${piece}`);
    const own = resources.use(new AsyncDisposableStack());
    const providerUrl = provider.ready.url;
    const system = await openFloor({ stateDir, providerUrl, database, pieces: index + 1 }, own);
    const [plain, streamed] = loads.map((load) =>
      createGatewayTarget({ system, load, provider, clients, ids: [] }),
    );
    const { warmUpMs: maxMs, shortWarmUpCalls: maxCalls, row } = gateway;
    const micros: number[] = [];
    for (const target of [plain!, streamed!]) {
      await runWarmUp(target, { inFlight: BUSY, maxMs, maxCalls });
      micros.push((await measureRow(target, BUSY, row)).cpuPer1000 * MICROS_PER_MS);
    }
    const { latencyMs } = await measureRow(plain!, 1, row);
    const [plainMicros, streamedMicros] = micros as [number, number];
    const aloneMs = latencyMs.p50;
    steps.push({ piece, work: PIECES[piece], plainMicros, streamedMicros, aloneMs });
    await own.disposeAsync();
  }
  return steps;
};

export const toFloorTable = (steps: readonly FloorStep[]): Table => {
  const added = (load: Load) => (step: FloorStep) => {
    const before = steps[steps.indexOf(step) - 1]?.[load] ?? 0;
    return (step[load] - before).toFixed(0);
  };
  return toTable('the floor, piece by piece; CPU in µs per call', steps, [
    ['with', ({ piece }) => piece],
    ['plain', ({ plainMicros }) => plainMicros.toFixed(0)],
    ['piece', added('plainMicros')],
    ['streamed', ({ streamedMicros }) => streamedMicros.toFixed(0)],
    ['piece', added('streamedMicros')],
    ['alone, p50 ms', ({ aloneMs }) => aloneMs.toFixed(2)],
  ]);
};
