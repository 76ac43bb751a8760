import type { JsonObject } from '@bufbuild/protobuf';
import type { LeasedSimulation } from '../turn/turn-store.ts';

export type Report = {
  summary: string;
  keyDecisions: readonly string[];
  risks: readonly string[];
  recommendations: readonly string[];
  facts: JsonObject;
  proofIds: readonly string[];
  isFromTemplate: boolean;
};

export type ReportStore = {
  find: (workspaceId: string, simulationId: string) => Promise<Report | undefined>;
  /**
   * Stores the report, the end of the simulation and its event in one transaction. Rejects with
   * `LeaseLost` if the lease is lost.
   */
  finalize: (leased: LeasedSimulation, report: Report) => Promise<void>;
};
