import { noSuchSimulation, simulationBusy } from './simulation-errors.ts';
import { LeaseLostError } from './turn-store.ts';
import type { LeasedSimulation, LeaseStore } from './turn-store.ts';
import { unavailable } from '@witan/contracts';
import type { SimulationStore } from './simulation.ts';

export type SimulationLease = AsyncDisposable & {
  leased: LeasedSimulation;
  signal: AbortSignal;
};

/**
 * Acquires the lease of a simulation. Waits while another call has it. Rejects with NOT_FOUND, with
 * CONFLICT `simulation_busy` after a timeout, and if the client disconnects.
 */
export type LeaseSimulation = (
  target: { workspaceId: string; simulationId: string },
  signal: AbortSignal,
) => Promise<SimulationLease>;

type LeaseSimulationDeps = {
  store: LeaseStore;
  now: () => number;
  onFailure: (error: unknown, simulationId: string) => void;
  leaseMs?: number;
  pollEveryMs?: number;
  waitMs?: number;
};

const LEASE_MS = 15_000;
const POLL_EVERY_MS = 500;
const WAIT_MS = 120_000;

export const createLeaseSimulation = (deps: LeaseSimulationDeps): LeaseSimulation => {
  const { store, now, onFailure } = deps;
  const { leaseMs = LEASE_MS, pollEveryMs = POLL_EVERY_MS, waitMs = WAIT_MS } = deps;
  const wakeSignalsBySimulation = new Map<string, Set<() => void>>();
  const wakeAll = (simulationId: string): void => {
    for (const wake of wakeSignalsBySimulation.get(simulationId) ?? []) wake();
  };
  const awaitWake = (simulationId: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const waiting = wakeSignalsBySimulation.get(simulationId) ?? new Set();
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0) wakeSignalsBySimulation.delete(simulationId);
        resolve();
      };
      const timer = setTimeout(wake, pollEveryMs);
      signal.addEventListener('abort', wake, { once: true });
      wakeSignalsBySimulation.set(simulationId, waiting.add(wake));
    });

  return async ({ workspaceId, simulationId }, signal) => {
    const deadline = now() + waitMs;
    for (;;) {
      signal.throwIfAborted();
      const leased = await store.lease(workspaceId, simulationId, leaseMs);
      if (leased === 'missing') throw noSuchSimulation();
      if (leased !== 'busy')
        return startRenewal(leased, signal, { store, onFailure, leaseMs, wakeAll });
      if (now() >= deadline) throw simulationBusy();
      await awaitWake(simulationId, signal);
    }
  };
};

type RenewalDeps = {
  store: LeaseStore;
  onFailure: LeaseSimulationDeps['onFailure'];
  leaseMs: number;
  wakeAll: (simulationId: string) => void;
};

const startRenewal = (
  leased: LeasedSimulation,
  clientSignal: AbortSignal,
  { store, onFailure, leaseMs, wakeAll }: RenewalDeps,
): SimulationLease => {
  const { simulationId } = leased;
  const leaseLost = new AbortController();
  const onError = (error: unknown): void => onFailure(error, simulationId);
  const renewing = setInterval(() => {
    store
      .renew(leased, leaseMs)
      .then((isRenewed) => isRenewed || leaseLost.abort(new LeaseLostError()))
      .catch(onError);
  }, leaseMs / 3);
  return {
    leased,
    signal: AbortSignal.any([clientSignal, leaseLost.signal]),
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewing);
      // A failed release is only reported, because the lease then expires.
      await store.release(leased).catch(onError);
      wakeAll(simulationId);
    },
  };
};

/**
 * Returns, as `cause`, the error to throw for a failed call: `error` itself or, if the lease was
 * lost, NOT_FOUND for a deleted simulation and UNAVAILABLE for one that another call has leased.
 */
export const toLeaseError = async (
  error: unknown,
  { leased, signal }: Pick<SimulationLease, 'leased' | 'signal'>,
  { simulations }: { simulations: Pick<SimulationStore, 'find'> },
): Promise<{ cause: unknown; isDeleted: boolean }> => {
  const isLost = error instanceof LeaseLostError || signal.reason instanceof LeaseLostError;
  if (!isLost) return { cause: error, isDeleted: false };
  const { workspaceId, simulationId } = leased;
  const isDeleted = !(await simulations.find(workspaceId, simulationId));
  const cause = isDeleted
    ? noSuchSimulation()
    : unavailable('The simulation was taken over; what was decided is kept: try again.');
  return { cause, isDeleted };
};
