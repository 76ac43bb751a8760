import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchContext } from '../bench.ts';
import { checkSystem } from '../chain/check-system.ts';
import { openPostgres } from '../database.ts';
import { measureRounds, measureRow, runWarmUp } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { RawRow } from '../report/summarize-rows.ts';
import { createGatewayTarget } from './create-target.ts';
import { openFloor } from './floor/open-floor.ts';
import { BUSY, COLD_LOAD, MAIN_LOADS } from './gateway-loads.ts';
import type { GatewayLoad, GatewayRow } from './gateway-loads.ts';
import { readSystemMemory, updateLoaded } from './measure-memory.ts';
import type { SystemMemory } from './measure-memory.ts';
import {
  openHttpClients,
  openProvider,
  openReference,
  openWitan,
  WITAN_MODES,
} from './open-systems.ts';
import type { GatewaySystem, HttpClients, Provider } from './open-systems.ts';
import { openPeers } from './peers/open-peers.ts';

export type GatewayMeasurement = {
  rows: RawRow[];
  memory: SystemMemory[];
  /** Results of the checks of chain and ledger, by system. */
  checks: Readonly<Record<string, unknown>>;
  systems: readonly GatewaySystem[];
  provider: Provider;
  clients: HttpClients;
};

/** Time between the start of the last system and the reading of idle memory. */
const IDLE_MS = 2_000;

/**
 * Starts the systems, measures the planned rows through all of them in alternation, and checks the
 * chains and ledgers of Witan's. `hasOthers` includes the floor and the peers.
 */
export const measureSystems = async (
  plannedRows: readonly GatewayRow[],
  context: BenchContext & { hasOthers: boolean },
): Promise<GatewayMeasurement> => {
  const { stateDir, resources, log } = context;
  const provider = await openProvider(stateDir, resources);
  const clients = await openHttpClients(stateDir, resources);
  const systems = await openSystems(provider, context);
  const ids = new Map(systems.map(({ name }) => [name, [] as string[]]));
  const targetOf: TargetOf = (system, load) =>
    createGatewayTarget({ system, load, provider, clients, ids: ids.get(system.name)! });
  await pause(IDLE_MS);
  const memory = readSystemMemory(systems);
  const coldRows = await warmUp(systems, plannedRows, targetOf, context);
  const warmRows = await measureAll({ systems, memory }, plannedRows, targetOf, context);
  const checks: Record<string, unknown> = {};
  for (const { name, file } of systems) {
    if (!file) continue;
    log(`checking chain and ledger of ${name}`);
    checks[name] = await checkSystem(file, { ids: ids.get(name)! });
  }
  return { rows: [...warmRows, ...coldRows], memory, checks, systems, provider, clients };
};

const openSystems = async (
  provider: Provider,
  context: BenchContext & { hasOthers: boolean },
): Promise<GatewaySystem[]> => {
  const { stateDir, resources } = context;
  const options = { stateDir, providerUrl: provider.ready.url };
  const systems: GatewaySystem[] = [
    await openReference('pipe', options, resources),
    await openReference('floor-work', options, resources),
  ];
  for (const mode of Object.values(WITAN_MODES)) {
    systems.push(await openWitan({ mode, ...options }, resources));
  }
  if (!context.hasOthers) return systems;
  const floorDir = join(stateDir, 'floor');
  const database = await openPostgres({ stateDir: floorDir, services: [] }, resources);
  const floor = await openFloor({ ...options, database }, resources);
  return [...systems, floor, ...(await openPeers(context.peersDir, { ...options, ...context }))];
};

type TargetOf = (system: GatewaySystem, load: GatewayLoad) => Target;
type MeasureContext = Pick<BenchContext, 'preset' | 'log'>;

/**
 * Warms every system up with its loads, by number of calls: in equal times a small program would
 * make more of them and be compiled further. Returns Witan's first seconds as rows.
 */
const warmUp = async (
  systems: readonly GatewaySystem[],
  plannedRows: readonly GatewayRow[],
  targetOf: TargetOf,
  { preset: { gateway }, log }: MeasureContext,
): Promise<RawRow[]> => {
  const rows: RawRow[] = [];
  const isColdPlanned = plannedRows.some(
    ({ load, inFlight }) => load.name === 'chat-plain' && inFlight === BUSY,
  );
  for (const system of systems) {
    const own = plannedRows.filter((row) => isMeasured(system, row)).map(({ load }) => load);
    for (const load of new Set(own)) {
      const target = targetOf(system, load);
      if (isColdPlanned && system.role === 'witan' && load.name === 'chat-plain') {
        log(`measuring the first seconds of ${system.name}`);
        const limits = { warmUpMs: 0, measureMs: gateway.coldMs, callsMax: gateway.row.callsMax };
        const row = { system: system.name, load: COLD_LOAD, inFlight: BUSY, round: 1 };
        rows.push({ ...row, ...(await measureRow(target, BUSY, limits)) });
      }
      log(`warming up ${system.name}, ${load.name}`);
      const { warmUpMs: maxMs, warmUpCalls, shortWarmUpCalls } = gateway;
      const maxCalls = MAIN_LOADS.includes(load.name) ? warmUpCalls : shortWarmUpCalls;
      await runWarmUp(target, { inFlight: BUSY, maxMs, maxCalls });
    }
  }
  return rows;
};

const measureAll = (
  { systems, memory }: { systems: readonly GatewaySystem[]; memory: readonly SystemMemory[] },
  plannedRows: readonly GatewayRow[],
  targetOf: TargetOf,
  { preset: { gateway }, log }: MeasureContext,
): Promise<RawRow[]> => {
  const plan = plannedRows.flatMap((row) =>
    systems
      .filter((system) => isMeasured(system, row))
      .map((system) => ({
        label: `${system.name}, ${row.load.name}, ${row.inFlight} at once`,
        measure: async () => {
          const { load, inFlight } = row;
          const measured = await measureRow(targetOf(system, load), inFlight, gateway.row);
          updateLoaded(memory, system);
          return { system: system.name, load: load.name, inFlight, ...measured };
        },
      })),
  );
  return measureRounds(plan, { preset: gateway, log });
};

/** The floor and the peers are measured with the main loads only. */
const isMeasured = ({ role }: GatewaySystem, { load }: GatewayRow): boolean =>
  role === 'reference' || role === 'witan' || MAIN_LOADS.includes(load.name);
