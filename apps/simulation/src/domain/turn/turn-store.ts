import type { Simulation, State, Verdict } from '../simulation/simulation.ts';

/** A leased simulation; other calls cannot change it. */
export type LeasedSimulation = { workspaceId: string; simulationId: string; lease: string };

/** Leases of simulations. A lease that is not renewed expires. */
export type LeaseStore = {
  lease: (
    workspaceId: string,
    simulationId: string,
    leaseMs: number,
  ) => Promise<LeasedSimulation | 'busy' | 'missing'>;
  /** Returns false if the lease is lost or the simulation deleted. */
  renew: (leased: LeasedSimulation, leaseMs: number) => Promise<boolean>;
  release: (leased: LeasedSimulation) => Promise<void>;
};

export type CouncilKey = { workspaceId: string; scenarioId: string; turn: number };

export type StoredCouncil = {
  /** Number of panels that were requested; the last one counts. */
  attempt: number;
  /** Undefined: not decided. */
  verdict: Verdict | undefined;
};

/** Verdicts of councils, stored before anything is computed from them. */
export type CouncilStore = {
  find: (council: CouncilKey) => Promise<StoredCouncil | undefined>;
  /** Records that another panel is requested. */
  noteAttempt: (council: CouncilKey, attempt: number) => Promise<void>;
  /** Returns the stored verdict: the first that was saved. */
  saveVerdict: (council: CouncilKey, verdict: Verdict) => Promise<Verdict>;
};

/** Rejects with `SimulationLost` if the lease is lost. */
export type TurnStore = {
  /**
   * Writes all states, the turn and its event in one transaction. Returns the updated simulation.
   */
  commitTurn: (
    leased: LeasedSimulation,
    made: { turn: number; states: readonly State[] },
  ) => Promise<Simulation>;
};

/** Another call leased the simulation, or it was deleted. */
export class SimulationLost extends Error {
  override readonly name = 'SimulationLost';
}
