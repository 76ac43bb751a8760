import type { JsonObject } from '@bufbuild/protobuf';
import type { LeasedSimulation } from './turn-store.ts';

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
   * Stores the report, marks the simulation as finalized and emits the event, in one transaction.
   * Rejects with `LeaseLostError` if the lease is lost.
   */
  finalize: (leased: LeasedSimulation, report: Report) => Promise<void>;
};
