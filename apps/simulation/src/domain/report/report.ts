import type { JsonObject } from '@bufbuild/protobuf';
import type { HeldSimulation } from '../turn/turn-store.ts';

/** What became of a simulation, in words whose every number was computed. */
export type Report = {
  summary: string;
  keyDecisions: readonly string[];
  risks: readonly string[];
  recommendations: readonly string[];
  /** What every number of the report comes from. */
  facts: JsonObject;
  /** Of every call of a model, in order. */
  proofIds: readonly string[];
  /** Written by rules, because no model wrote what stands up. */
  isFromTemplate: boolean;
};

export type ReportStore = {
  find: (workspaceId: string, simulationId: string) => Promise<Report | undefined>;
  /**
   * The report, the end of the simulation and the fact that tells of it, or nothing. Rejects with
   * `SimulationLost` when the simulation is not held any more.
   */
  finalize: (held: HeldSimulation, report: Report) => Promise<void>;
};
