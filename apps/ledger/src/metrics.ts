import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { AuditViolations, LedgerState } from './account/store/audit.ts';
import type { LogState } from './log/store/log-state.ts';
import type { WrittenEpoch } from './log/write-epoch.ts';
import type { LedgerWrite } from './write/ledger-write.ts';
import type { Swept } from './reservation/sweep-reservations.ts';

export type Metrics = {
  onCommit: (writes: readonly LedgerWrite[], milliseconds: number) => void;
  onSwept: (swept: Swept) => void;
  onAudited: (violations: AuditViolations) => void;
  onStateRead: (state: LedgerState) => void;
};

export type LogMetrics = {
  onEpoch: (epoch: WrittenEpoch, seconds: number) => void;
  onChangedEntries: () => void;
  onStateRead: (state: LogState) => void;
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

/** Creates the metrics of the transparency log; only a ledger that has one shows them. */
export const createLogMetrics = (registry: Registry): LogMetrics => {
  const registers = [registry];
  const epochSeconds = new Histogram({
    name: 'ledger_log_epoch_seconds',
    help: 'Time to write and publish an epoch of the transparency log, in seconds.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const leaves = new Counter({
    name: 'ledger_log_certificates_total',
    help: 'Certificates that this process added to the transparency log.',
    registers,
  });
  const changed = new Counter({
    name: 'ledger_log_changed_trees_total',
    help: 'Findings of changed certificates in trees; always 0.',
    registers,
  });
  const lag = new Gauge({
    name: 'ledger_log_lag_seconds',
    help: 'Age of the oldest certificate that is not in a published epoch; 0 if there is none.',
    registers,
  });
  const size = new Gauge({
    name: 'ledger_log_published_size',
    help: 'Number of published epochs.',
    registers,
  });
  const halted = new Gauge({
    name: 'ledger_log_halted',
    help: '1 while the log is halted, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  const witnessAge = new Gauge({
    name: 'ledger_log_witness_age_seconds',
    help: 'Time since a witness last cosigned the log, in seconds.',
    labelNames: ['witness'] as const,
    registers,
  });
  return {
    onEpoch: (epoch, seconds) => {
      epochSeconds.observe(seconds);
      leaves.inc(epoch.leaves);
    },
    onChangedEntries: () => changed.inc(),
    onStateRead: (state) => {
      lag.set(state.lagSeconds);
      size.set(state.publishedSize);
      halted.reset();
      if (state.halted !== undefined) halted.set({ reason: state.halted }, 1);
      witnessAge.reset();
      for (const { name, ageSeconds } of state.witnesses) {
        witnessAge.set({ witness: name }, ageSeconds);
      }
    },
  };
};
