import { Client } from 'pg';
import { untilReady } from '../debates/run-debate.ts';
import type { FaultSystem } from '../open-running-system.ts';
import type { AdvanceFault } from './advance-faults.ts';
import type { AdvanceEvidence } from './find-advance-violations.ts';
import { openWriteWatch } from './open-write-watch.ts';
import type { createScriptedCompany } from './scripted-company.ts';
import type { AdvancedSimulation, SimulationApi } from './simulation-api.ts';

export type AdvanceContext = {
  system: FaultSystem;
  api: SimulationApi;
  company: ReturnType<typeof createScriptedCompany>;
  databaseUrl: string;
};

export type AdvanceRun = {
  simulationId: string;
  evidence: Omit<AdvanceEvidence, 'expected'>;
  /** Proof ids in the simulation's states and report. */
  proofIds: readonly string[];
  /** Time from the client's first attempt to the finished turn and report. */
  tookMs: number;
};

/** Time limit of the client's retries; exceeds several leases and slow restarts of processes. */
const LIMIT_MS = 240_000;

/**
 * Creates a simulation, injects the fault while a client retries its only turn, and returns the
 * evidence that `findAdvanceViolations` checks.
 */
export const runAdvance = async (
  number: number,
  fault: AdvanceFault,
  { system, api, company, databaseUrl }: AdvanceContext,
): Promise<AdvanceRun> => {
  await untilReady(system);
  await using watch = await openWriteWatch(databaseUrl);
  const started = await api.createSimulation(number);
  const listCallKeys = (): string[] =>
    company.calls.filter(({ runNumber }) => runNumber === number).map(({ key }) => key);
  const runningAdvance = { system, watch, started, listCallKeys };
  company.setPace(fault.createPace(runningAdvance));
  await fault.prepare?.(runningAdvance);
  const startedAt = Date.now();
  const pendingStatuses = api.advance(started.id, LIMIT_MS);
  const injectedFaults = await fault.run(runningAdvance);
  const statuses = await pendingStatuses;
  const tookMs = Date.now() - startedAt;
  await untilReady(system);
  const isTurnMade = [200, 409].includes(statuses.at(-1)!);
  const advanced = isTurnMade ? await api.read(started.id) : undefined;
  return {
    simulationId: started.id,
    evidence: {
      outcome: advanced && toOutcome(advanced),
      hasAllAgents: advanced?.simulation.states.every(hasAllAgents) ?? false,
      mayMissAgents: fault.mayMissAgents ?? false,
      isReplayEqual: advanced?.replay.matches ?? false,
      calls: listCallKeys(),
      injectedFaults,
      events: await readEvents(databaseUrl, started.id),
      statuses,
    },
    proofIds: advanced
      ? [...advanced.simulation.states, advanced.report].flatMap(({ proofs }) => proofs)
      : [],
    tookMs,
  };
};

const hasAllAgents = ({ decisions }: AdvancedSimulation['simulation']['states'][0]): boolean =>
  decisions.absentAgents.length === 0 && !decisions.fallback;

/**
 * Returns a text that is equal for equivalent advances: ids are replaced by numbers in the order in
 * which they appear; times and the number of the simulation are replaced by constants.
 */
const toOutcome = ({ simulation, report }: AdvancedSimulation): string => {
  const names = new Map<string, string>();
  return JSON.stringify({ simulation, report }, undefined, 1)
    .replaceAll(/\b(sim|scn|sta|pf|dbt)_\w+/g, (id, prefix: string) => {
      const name = names.get(id) ?? `${prefix} ${names.size + 1}`;
      names.set(id, name);
      return name;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
    .replaceAll(/Company [b-m]{2}\b/g, 'Company');
};

const EVENTS_SQL = `
  SELECT type FROM simulation.outbox
  WHERE position(convert_to($1, 'UTF8') IN payload) > 0 ORDER BY position`;

const readEvents = async (databaseUrl: string, simulationId: string): Promise<string[]> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ type: string }>(EVENTS_SQL, [simulationId]);
    return rows.map(({ type }) => type);
  } finally {
    await client.end();
  }
};
