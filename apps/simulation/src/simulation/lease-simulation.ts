import { setTimeout as pause } from 'node:timers/promises';
import { noSuchSimulation, simulationBusy } from './simulation-errors.ts';
import { LeaseLostError } from './simulation.ts';
import type { LeasedSimulation, LeaseStore, SimulationStore } from './simulation.ts';
import { unavailable } from '@witan/contracts';

export type SimulationLease = AsyncDisposable & {
  leased: LeasedSimulation;
  signal: AbortSignal;
};

/**
 * Acquires the lease of a simulation. Waits while another call has it, by default at most two
 * minutes; then it rejects with CONFLICT `simulation_busy`. Rejects with NOT_FOUND if the
 * simulation does not exist.
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
  /** Maximum delay between two attempts; the delays double up to it. */
  pollEveryMs?: number;
  waitMs?: number;
};

const LEASE_MS = 15_000;
const POLL_MIN_MS = 20;
const POLL_EVERY_MS = 500;
const WAIT_MS = 120_000;

export const createLeaseSimulation =
  ({
    store,
    now,
    onFailure,
    leaseMs = LEASE_MS,
    pollEveryMs = POLL_EVERY_MS,
    waitMs = WAIT_MS,
  }: LeaseSimulationDeps): LeaseSimulation =>
  async ({ workspaceId, simulationId }, signal) => {
    const deadline = now() + waitMs;
    for (let delayMs = POLL_MIN_MS; ; delayMs *= 2) {
      signal.throwIfAborted();
      const leased = await store.acquire(workspaceId, simulationId, leaseMs);
      if (leased === 'missing') throw noSuchSimulation();
      if (leased !== 'busy') return startRenewal(leased, signal, { store, onFailure, leaseMs });
      if (now() >= deadline) throw simulationBusy();
      const pauseMs = Math.min(delayMs, pollEveryMs);
      await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  };

const startRenewal = (
  leased: LeasedSimulation,
  clientSignal: AbortSignal,
  {
    store,
    onFailure,
    leaseMs,
  }: Pick<LeaseSimulationDeps, 'store' | 'onFailure'> & { leaseMs: number },
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
    },
  };
};

/**
 * Returns, as `cause`, the error to throw for a failed call: if the lease was lost, NOT_FOUND for a
 * deleted simulation and UNAVAILABLE for an existing one; otherwise `error` itself.
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
