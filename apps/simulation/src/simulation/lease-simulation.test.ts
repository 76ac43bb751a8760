import { describe, expect, it } from '@jest/globals';
import { createLeaseSimulation } from './lease-simulation.ts';
import type { LeaseStore } from './simulation.ts';

const HOUR_MS = 3_600_000;
const TARGET = { workspaceId: 'ws_1', simulationId: 'sim_1' };

describe('the lease of a simulation', () => {
  const open = (busyAttempts: number, times: { pollEveryMs: number; waitMs?: number }) => {
    let attempts = 0;
    const leased = { ...TARGET, lease: 'l' };
    const store: LeaseStore = {
      acquire: async () => {
        attempts += 1;
        return attempts <= busyAttempts ? 'busy' : leased;
      },
      renew: async () => true,
      release: async () => {},
    };
    const onFailure = (error: unknown): void => {
      throw error;
    };
    const lease = createLeaseSimulation({ store, now: () => 0, onFailure, ...times });
    return {
      acquire: () => lease(TARGET, new AbortController().signal),
      attempts: () => attempts,
    };
  };

  it('is acquired soon after its release, however long the longest delay is', async () => {
    const { acquire, attempts } = open(3, { pollEveryMs: HOUR_MS });
    await using lease = await acquire();
    expect([lease.leased.simulationId, attempts()]).toEqual(['sim_1', 4]);
  });

  it('is requested again after `pollEveryMs` at the latest', async () => {
    const { acquire, attempts } = open(40, { pollEveryMs: 1 });
    await using lease = await acquire();
    expect([lease.leased.simulationId, attempts()]).toEqual(['sim_1', 41]);
  });

  it('is refused as busy when the wait is over', async () => {
    const { acquire, attempts } = open(1, { pollEveryMs: 1, waitMs: 0 });
    await expect(acquire()).rejects.toMatchObject({
      reason: 'CONFLICT',
      fields: { code: 'simulation_busy' },
    });
    expect(attempts()).toBe(1);
  });
});
