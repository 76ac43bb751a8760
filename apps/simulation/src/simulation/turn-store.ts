import type { Simulation, State, Verdict } from './simulation.ts';
import type { JsonObject } from '@bufbuild/protobuf';

export type LeasedSimulation = { workspaceId: string; simulationId: string; lease: string };

export type LeaseStore = {
  lease: (
    workspaceId: string,
    simulationId: string,
    leaseMs: number,
  ) => Promise<LeasedSimulation | 'busy' | 'missing'>;
  renew: (leased: LeasedSimulation, leaseMs: number) => Promise<boolean>;
  release: (leased: LeasedSimulation) => Promise<void>;
};

export type PanelKey = { workspaceId: string; scenarioId: string; turn: number };

type StoredPanel = {
  /** Number of panels requested for this turn so far; only the last one counts. */
  attempt: number;
  verdict: Verdict | undefined;
};

/**
 * Stores the verdicts of councils. A verdict is stored before a state is computed from it, so that
 * a repeated turn uses the same one.
 */
export type PanelStore = {
  find: (council: PanelKey) => Promise<StoredPanel | undefined>;
  recordAttempt: (council: PanelKey, attempt: number) => Promise<void>;
  /** Stores a verdict unless one is stored already. Returns the stored one. */
  saveVerdict: (council: PanelKey, verdict: Verdict) => Promise<Verdict>;
};

/** Stores turns. Methods reject with `LeaseLostError` if the lease is lost. */
export type TurnStore = {
  /** Writes the states of all scenarios, the turn and its event in one transaction. */
  commitTurn: (
    leased: LeasedSimulation,
    made: { turn: number; states: readonly State[] },
  ) => Promise<Simulation>;
};

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

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
