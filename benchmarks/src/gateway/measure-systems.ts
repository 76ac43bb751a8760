import { setTimeout as pause } from 'node:timers/promises';
import type { BenchContext } from '../bench.ts';
import { checkSystem } from '../chain/check-system.ts';
import { measureRounds, measureRow, runWarmUp } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { Preset } from '../preset.ts';
import type { RawRow } from '../report/summarize-rows.ts';
import { createGatewayTarget } from './create-target.ts';
import type { GatewayLoad, GatewayRow } from './gateway-loads.ts';
import { joinMemory, readSystemMemory } from './measure-memory.ts';
import type { SystemMemory } from './measure-memory.ts';
import {
  openHttpClients,
  openProvider,
  openReference,
  openWitan,
  toDirectSystem,
} from './open-systems.ts';
import type { GatewaySystem, Provider, SystemRole } from './open-systems.ts';
import { openPeers } from './peers/open-peers.ts';

export type GatewayMeasurement = {
  rows: RawRow[];
  memory: SystemMemory[];
  /** Results of the checks of chain and ledger, by system. */
  checks: Readonly<Record<string, unknown>>;
  /** Versions of the measured peers, by name. */
  peers: Readonly<Record<string, string>>;
  /** Database of one of Witan's systems. */
  databaseUrl: string;
};

/** Time between the start of the last system and the reading of idle memory. */
const IDLE_MS = 2_000;

/**
 * Starts all systems that the planned rows need, measures the rows through all systems in
 * alternation, and checks the chains and ledgers of Witan's.
 */
export const measureSystems = async (
  plannedRows: readonly GatewayRow[],
  context: BenchContext,
): Promise<GatewayMeasurement> => {
  const { preset, stateDir, resources, log } = context;
  const provider = await openProvider(stateDir, resources);
  const clients = await openHttpClients(stateDir, resources);
  const systems = await openSystems(plannedRows, provider, context);
  const ids = new Map(systems.map(({ name }) => [name, [] as string[]]));
  const targetOf: TargetOf = (system, load) =>
    createGatewayTarget({ system, load, provider, clients, ids: ids.get(system.name)! });
  await pause(IDLE_MS);
  const idleMemory = readSystemMemory(systems);
  await warmUp(systems, plannedRows, targetOf, { preset, log });
  const rows = await measureAll(systems, plannedRows, targetOf, { preset, log });
  const memory = joinMemory(idleMemory, readSystemMemory(systems));
  const checks: Record<string, unknown> = {};
  for (const { name, file, role } of systems) {
    if (!file) continue;
    log(`checking chain and ledger of ${name}`);
    const metering = role === 'metered' ? 'metered' : 'unmetered';
    checks[name] = await checkSystem(file, { ids: ids.get(name)!, metering });
  }
  const { databaseUrl } = systems.find(({ file }) => file)!.file!;
  const peers = Object.fromEntries(
    systems.flatMap(({ name, version }) => (version === undefined ? [] : [[name, version]])),
  );
  return { rows, memory, checks, peers, databaseUrl };
};

const openSystems = async (
  plannedRows: readonly GatewayRow[],
  provider: Provider,
  context: BenchContext,
): Promise<GatewaySystem[]> => {
  const { stateDir, resources } = context;
  const options = { stateDir, providerUrl: provider.ready.url };
  const systems: GatewaySystem[] = [
    toDirectSystem(provider),
    await openReference('pipe', options, resources),
    await openReference('floor-work', options, resources),
  ];
  const isMeteringPlanned = plannedRows.some(({ isAlsoMetered }) => isAlsoMetered);
  for (const mode of ['standalone', 'processes'] as const) {
    for (const metering of ['unmetered', 'metered'] as const) {
      if (metering === 'metered' && !isMeteringPlanned) continue;
      systems.push(await openWitan({ mode, metering, ...options }, resources));
    }
  }
  if (plannedRows.some(({ isWithPeers }) => isWithPeers)) {
    systems.push(...(await openPeers(context.peersDir, { ...options, ...context })));
  }
  return systems;
};

type TargetOf = (system: GatewaySystem, load: GatewayLoad) => Target;
type MeasureContext = { preset: Preset; log: (line: string) => void };

const warmUp = async (
  systems: readonly GatewaySystem[],
  plannedRows: readonly GatewayRow[],
  targetOf: TargetOf,
  { preset, log }: MeasureContext,
): Promise<void> => {
  const { firstWarmUpMs: maxMs, gateway } = preset;
  const inFlight = gateway.inFlight.busy[0]!;
  const limits = { inFlight, maxMs, maxCalls: gateway.row.callsMax };
  // Paced loads are left out unless only paced loads are chosen, because they run the same code as
  // the unpaced loads.
  const unpaced = plannedRows.filter(({ load }) => !load.isPaced);
  const rows = unpaced.length > 0 ? unpaced : plannedRows;
  for (const system of systems) {
    // A metered system is warmed up with every load, so that as much of its code is compiled as in
    // the unmetered system.
    const own = system.role === 'metered' ? rows : rows.filter((row) => isMeasured(system, row));
    for (const load of new Set(own.map((row) => row.load))) {
      log(`warming up ${system.name}, ${load.name}`);
      await runWarmUp(targetOf(system, load), limits);
    }
  }
};

const measureAll = (
  systems: readonly GatewaySystem[],
  plannedRows: readonly GatewayRow[],
  targetOf: TargetOf,
  context: MeasureContext,
): Promise<RawRow[]> => {
  const { pacedRow, row: unpacedRow } = context.preset.gateway;
  const plan = plannedRows.flatMap((row) =>
    systems
      .filter((system) => isMeasured(system, row))
      .map((system) => ({
        label: `${system.name}, ${row.load.name}, ${row.inFlight} at once`,
        measure: async () => {
          const { load, inFlight } = row;
          const rowPreset = load.isPaced ? pacedRow : unpacedRow;
          const measured = await measureRow(targetOf(system, load), inFlight, rowPreset);
          return { system: system.name, load: load.name, inFlight, ...measured };
        },
      })),
  );
  return measureRounds(plan, context);
};

/**
 * Returns true if the system is measured with this row. The provider itself is measured with paced
 * loads only, because without pacing its rate says nothing about Witan.
 */
const isMeasured = (
  { role }: GatewaySystem,
  { load, isAlsoMetered, isWithPeers }: GatewayRow,
): boolean => {
  const measured: Readonly<Record<SystemRole, boolean>> = {
    direct: load.isPaced,
    reference: true,
    witan: true,
    metered: isAlsoMetered,
    peer: isWithPeers,
  };
  return measured[role];
};
