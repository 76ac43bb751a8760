import { noSuchSimulation, simulationBusy } from '../simulation/refusals.ts';
import { SimulationLost } from './turn-store.ts';
import type { HeldSimulation, LeaseStore } from './turn-store.ts';

/** A simulation is held until this is disposed of. */
export type Hold = AsyncDisposable & {
  held: HeldSimulation;
  /** Aborts when the caller leaves, or with `SimulationLost` when it is held no more. */
  signal: AbortSignal;
};

/**
 * Waits until nobody else holds the simulation. Rejects with NOT_FOUND, with CONFLICT
 * `simulation_busy` when that takes too long, and as the caller leaves.
 */
export type HoldSimulation = (
  wanted: { workspaceId: string; simulationId: string },
  signal: AbortSignal,
) => Promise<Hold>;

export type HoldSimulationDeps = {
  store: LeaseStore;
  /** In milliseconds; any clock that only goes on. */
  now: () => number;
  onFailure: (error: unknown, simulationId: string) => void;
  /** How long a simulation stays with a process that was killed. */
  leaseMs?: number;
  /** How often a waiting call looks whether another replica is done. */
  lookEveryMs?: number;
  /** Longest wait of a call (decisions.md, Endpoints). */
  waitMs?: number;
};

const LEASE_MS = 15_000;
const LOOK_EVERY_MS = 500;
const WAIT_MS = 120_000;

export const createHoldSimulation = (deps: HoldSimulationDeps): HoldSimulation => {
  const { store, now, onFailure } = deps;
  const { leaseMs = LEASE_MS, lookEveryMs = LOOK_EVERY_MS, waitMs = WAIT_MS } = deps;
  const bells = new Map<string, Set<() => void>>();
  const ring = (simulationId: string): void => {
    for (const wake of bells.get(simulationId) ?? []) wake();
  };
  const listen = (simulationId: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const waiting = bells.get(simulationId) ?? new Set();
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0) bells.delete(simulationId);
        resolve();
      };
      const timer = setTimeout(wake, lookEveryMs);
      signal.addEventListener('abort', wake, { once: true });
      bells.set(simulationId, waiting.add(wake));
    });

  return async ({ workspaceId, simulationId }, signal) => {
    const deadline = now() + waitMs;
    for (;;) {
      signal.throwIfAborted();
      const held = await store.lease(workspaceId, simulationId, leaseMs);
      if (held === 'missing') throw noSuchSimulation();
      if (held !== 'busy') return keep(held, signal, { store, onFailure, leaseMs, ring });
      if (now() >= deadline) throw simulationBusy();
      await listen(simulationId, signal);
    }
  };
};

type Keeping = {
  store: LeaseStore;
  onFailure: HoldSimulationDeps['onFailure'];
  leaseMs: number;
  ring: (simulationId: string) => void;
};

const keep = (
  held: HeldSimulation,
  outer: AbortSignal,
  { store, onFailure, leaseMs, ring }: Keeping,
): Hold => {
  const { simulationId } = held;
  const lost = new AbortController();
  const tell = (error: unknown): void => onFailure(error, simulationId);
  const renewing = setInterval(() => {
    store
      .renew(held, leaseMs)
      .then((isOurs) => isOurs || lost.abort(new SimulationLost()))
      .catch(tell);
  }, leaseMs / 3);
  return {
    held,
    signal: AbortSignal.any([outer, lost.signal]),
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewing);
      // What is not given back is over with its lease.
      await store.release(held).catch(tell);
      ring(simulationId);
    },
  };
};
