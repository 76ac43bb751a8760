import type { Caller } from '../model/model-call.ts';
import type { Report, ReportStore } from '../report/report.ts';
import { toReported } from '../report/scenario-course.ts';
import type { Course, ReportedState } from '../report/scenario-course.ts';
import { writeReport } from '../report/write-report.ts';
import type { WriteReportDeps } from '../report/write-report.ts';
import { noSuchSimulation, nothingToReport } from '../simulation/refusals.ts';
import type { ScenarioStore, SimulationStore, StateStore } from '../simulation/simulation.ts';
import type { FinalizeHeld } from './advance.ts';
import { explainLoss } from './explain-loss.ts';
import type { HoldSimulation } from './hold-simulation.ts';

export type FinalizeDeps = WriteReportDeps & {
  hold: HoldSimulation;
  simulations: Pick<SimulationStore, 'find'>;
  scenarios: Pick<ScenarioStore, 'list'>;
  states: Pick<StateStore, 'readCourse'>;
  reports: ReportStore;
  /** It is kept. */
  onReport: (report: Report) => void;
};

export type FinalizeRequest = { simulationId: string; requestSha256: string };

/**
 * Ends a simulation and answers its report, which is written once: whoever asks again gets that.
 * Rejects with NOT_FOUND, and CONFLICT `nothing_to_report` at turn 0.
 */
export const finalize = async (
  { simulationId, requestSha256 }: FinalizeRequest,
  caller: Caller,
  deps: FinalizeDeps,
): Promise<Report> => {
  const { workspaceId } = caller;
  // Who only wants to read it again waits for nobody.
  const written = await deps.reports.find(workspaceId, simulationId);
  if (written) return written;
  await using hold = await deps.hold({ workspaceId, simulationId }, caller.signal);
  const simulation = await deps.simulations.find(workspaceId, simulationId);
  if (!simulation) throw noSuchSimulation();
  if (simulation.currentTurn === 0) throw nothingToReport();
  const asked = { caller: { ...caller, signal: hold.signal }, requestSha256 };
  try {
    return await createFinalizeHeld(deps)(simulation, hold, asked);
  } catch (error) {
    throw (await explainLoss(error, hold, deps)).cause;
  }
};

/** The same of a simulation that the caller holds. */
export const createFinalizeHeld =
  (deps: Omit<FinalizeDeps, 'hold' | 'simulations'>): FinalizeHeld =>
  async (simulation, { held }, asked) => {
    const { workspaceId, simulationId } = held;
    const written = await deps.reports.find(workspaceId, simulationId);
    if (written) return written;
    const courses: Course[] = [];
    let staysLocal = false;
    for (const scenario of await deps.scenarios.list(workspaceId, simulationId)) {
      const states: ReportedState[] = [];
      for await (const state of deps.states.readCourse(workspaceId, scenario.id)) {
        states.push(toReported(state));
        // Where it is not known, it may have stayed.
        staysLocal ||= state.decision.staysLocal !== false;
      }
      // One that was never played is not reported on.
      if (states.length > 0) courses.push({ scenario, states });
    }
    const report = await writeReport({ simulation, courses, staysLocal }, asked, deps);
    await deps.reports.finalize(held, report);
    deps.onReport(report);
    return report;
  };
