import type { JsonObject } from '@bufbuild/protobuf';
import type { LeasedSimulation } from '../turn/turn-store.ts';

/** A report in which every number is computed. */
export type Report = {
  summary: string;
  keyDecisions: readonly string[];
  risks: readonly string[];
  recommendations: readonly string[];
  /** The source of every number of the report. */
  facts: JsonObject;
  /** Certificates of all model calls, in order. */
  proofIds: readonly string[];
  /** True if rules wrote it because no prose of a model was accepted. */
  isFromTemplate: boolean;
};

export type ReportStore = {
  find: (workspaceId: string, simulationId: string) => Promise<Report | undefined>;
  /**
   * Stores the report, the end of the simulation and its event in one transaction. Rejects with
   * `SimulationLost` if the lease is lost.
   */
  finalize: (leased: LeasedSimulation, report: Report) => Promise<void>;
};
