import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { AuditViolations, LedgerState } from './account/store/audit.ts';
import type { LedgerWrite } from './write/ledger-write.ts';
import type { Swept } from './reservation/sweep-reservations.ts';

export type Metrics = {
  onCommit: (writes: readonly LedgerWrite[], milliseconds: number) => void;
  onSwept: (swept: Swept) => void;
  onAudited: (violations: AuditViolations) => void;
  onStateRead: (state: LedgerState) => void;
};

export const createMetrics = (registry: Registry): Metrics => {
  const writes = new Histogram({
    name: 'ledger_commit_writes',
    help: 'Writes that shared one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [registry],
  });
  const actions = new Counter({
    name: 'ledger_writes_total',
    help: 'Writes that were committed or refused, by action: reserve, append or release.',
    labelNames: ['action'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'ledger_commit_seconds',
    help: 'Time from signing to durable, in seconds.',
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  });
  const swept = new Counter({
    name: 'ledger_reservations_swept_total',
    help: 'Expired reservations that the sweeper ended, by outcome.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const violations = new Gauge({
    name: 'ledger_book_faults',
    help: 'Workspaces that violate an invariant of the ledger, by invariant; always 0.',
    labelNames: ['invariant'] as const,
    registers: [registry],
  });
  const audited = new Gauge({
    name: 'ledger_book_audit_timestamp_seconds',
    help: 'When the last audit ended, in seconds since the epoch.',
    registers: [registry],
  });
  return {
    onStateRead: createStateMetrics(registry),
    onCommit: (committed, milliseconds) => {
      writes.observe(committed.length);
      for (const { kind } of committed) actions.inc({ action: kind });
      seconds.observe(milliseconds / 1_000);
    },
    onSwept: ({ lost, released }) => {
      swept.inc({ outcome: 'lost' }, lost);
      swept.inc({ outcome: 'released' }, released);
    },
    onAudited: (found) => {
      for (const [invariant, count] of Object.entries(found)) violations.set({ invariant }, count);
      audited.setToCurrentTime();
    },
  };
};

const createStateMetrics = (registry: Registry): ((state: LedgerState) => void) => {
  const registers = [registry];
  const chains = new Gauge({
    name: 'ledger_chains',
    help: 'Workspaces that have a chain.',
    registers,
  });
  const height = new Gauge({
    name: 'ledger_chain_height_max',
    help: 'Certificates in the longest chain.',
    registers,
  });
  const certificates = new Gauge({
    name: 'ledger_certificates',
    help: 'Certificates in all chains.',
    registers,
  });
  const held = new Gauge({
    name: 'ledger_reservations_held',
    help: 'Reservations that are neither settled nor released.',
    registers,
  });
  const overdue = new Gauge({
    name: 'ledger_reservations_overdue',
    help: 'Held reservations that have expired; the sweeper ends them, so it returns to 0.',
    registers,
  });
  return (state) => {
    chains.set(state.chains);
    height.set(state.heightMax);
    certificates.set(state.certificates);
    held.set(state.held);
    overdue.set(state.overdue);
  };
};
