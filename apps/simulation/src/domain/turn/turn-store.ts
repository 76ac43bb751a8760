import type { Simulation, State, Verdict } from '../simulation/simulation.ts';

/** A simulation that nobody else changes while it is held. */
export type HeldSimulation = { workspaceId: string; simulationId: string; lease: string };

/** Who holds a simulation; a process that says nothing for the length of its lease holds none. */
export type LeaseStore = {
  lease: (
    workspaceId: string,
    simulationId: string,
    leaseMs: number,
  ) => Promise<HeldSimulation | 'busy' | 'missing'>;
  /** False: it is somebody else's, or deleted. */
  renew: (held: HeldSimulation, leaseMs: number) => Promise<boolean>;
  release: (held: HeldSimulation) => Promise<void>;
};

/** One scenario's council of one turn. */
export type CouncilPlace = { workspaceId: string; scenarioId: string; turn: number };

export type KeptCouncil = {
  /** Panels that were asked for; the last one counts. */
  attempt: number;
  /** Undefined: it has not decided. */
  verdict: Verdict | undefined;
};

/** What councils decided, kept before anything is computed from it. */
export type CouncilStore = {
  find: (place: CouncilPlace) => Promise<KeptCouncil | undefined>;
  /** The next panel is another one. */
  noteAttempt: (place: CouncilPlace, attempt: number) => Promise<void>;
  /** Answers the verdict that stands: the first that was saved. */
  saveVerdict: (place: CouncilPlace, verdict: Verdict) => Promise<Verdict>;
};

/** Rejects with `SimulationLost` when the simulation is not held any more. */
export type TurnStore = {
  /** All states, the turn and the fact that tells of it, or nothing. Answers what it is then. */
  commitTurn: (
    held: HeldSimulation,
    made: { turn: number; states: readonly State[] },
  ) => Promise<Simulation>;
};

/** Somebody else took the simulation over, or deleted it. */
export class SimulationLost extends Error {
  override readonly name = 'SimulationLost';
}
