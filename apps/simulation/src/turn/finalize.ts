import type { Caller } from '@witan/dialects';
import type {
  Report,
  ReportStore,
  ScenarioStore,
  Simulation,
  SimulationStore,
  StateStore,
} from '../simulation/simulation.ts';
import { toReported } from '../report/scenario-history.ts';
import type { ScenarioHistory, ReportedState } from '../report/scenario-history.ts';
import { writeReport } from '../report/write-report.ts';
import type { WriteReportDeps } from '../report/write-report.ts';
import { noSuchSimulation, nothingToReport } from '../simulation/simulation-errors.ts';
import { toLeaseError } from '../simulation/lease-simulation.ts';
import type { LeaseSimulation, SimulationLease } from '../simulation/lease-simulation.ts';

export type FinalizeDeps = WriteReportDeps & {
  lease: LeaseSimulation;
  simulations: Pick<SimulationStore, 'find'>;
  scenarios: Pick<ScenarioStore, 'list'>;
  states: Pick<StateStore, 'readAll'>;
  reports: ReportStore;
  onReport: (report: Report) => void;
};

/**
 * Ends a simulation and returns its report. The report is written once; repeated calls return the
 * stored one. Rejects with NOT_FOUND, and with CONFLICT `nothing_to_report` at turn 0.
 */
export const finalize = async (
  { simulationId, requestSha256 }: { simulationId: string; requestSha256: string },
  caller: Caller,
  deps: FinalizeDeps,
): Promise<Report> => {
  const { workspaceId } = caller;
  const existing = await deps.reports.find(workspaceId, simulationId);
  if (existing) return existing;
  await using lease = await deps.lease({ workspaceId, simulationId }, caller.signal);
  const simulation = await deps.simulations.find(workspaceId, simulationId);
  if (!simulation) throw noSuchSimulation();
  if (simulation.currentTurn === 0) throw nothingToReport();
  const request = { caller: { ...caller, signal: lease.signal }, requestSha256 };
  try {
    return await finalizeLeased(simulation, lease, request, deps);
  } catch (error) {
    throw (await toLeaseError(error, lease, deps)).cause;
  }
};

/** Writes the report of a leased simulation, or returns the stored one. */
export const finalizeLeased = async (
  simulation: Simulation,
  { leased }: SimulationLease,
  request: { caller: Caller; requestSha256: string },
  deps: Omit<FinalizeDeps, 'lease' | 'simulations'>,
): Promise<Report> => {
  const { workspaceId, simulationId } = leased;
  const existing = await deps.reports.find(workspaceId, simulationId);
  if (existing) return existing;
  const histories: ScenarioHistory[] = [];
  let staysLocal = false;
  for (const scenario of await deps.scenarios.list(workspaceId, simulationId)) {
    const states: ReportedState[] = [];
    for await (const state of deps.states.readAll(workspaceId, scenario.id)) {
      states.push(toReported(state));
      // A decision of a release that did not record `staysLocal` counts as local-only.
      staysLocal ||= state.decision.staysLocal !== false;
    }
    if (states.length > 0) histories.push({ scenario, states });
  }
  const report = await writeReport({ simulation, histories, staysLocal }, request, deps);
  await deps.reports.finalize(leased, report);
  deps.onReport(report);
  return report;
};
