import type { Simulation, State, Verdict } from '../simulation/simulation.ts';

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

export type CouncilKey = { workspaceId: string; scenarioId: string; turn: number };

export type StoredCouncil = {
  /** Number of requested panels; only the last one counts. */
  attempt: number;
  verdict: Verdict | undefined;
};

/** Verdicts are stored before anything is computed from them. */
export type CouncilStore = {
  find: (council: CouncilKey) => Promise<StoredCouncil | undefined>;
  recordAttempt: (council: CouncilKey, attempt: number) => Promise<void>;
  /** Returns the stored verdict, which is the first one that was saved. */
  saveVerdict: (council: CouncilKey, verdict: Verdict) => Promise<Verdict>;
};

/** Stores turns. Rejects with `LeaseLost` if the lease is lost. */
export type TurnStore = {
  /** Writes all states, the turn and its event in one transaction. */
  commitTurn: (
    leased: LeasedSimulation,
    made: { turn: number; states: readonly State[] },
  ) => Promise<Simulation>;
};

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
