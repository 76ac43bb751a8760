import { findChargeViolations } from '../evidence/find-charge-violations.ts';
import { openChainReader } from '../evidence/follow-chain.ts';
import { readAuditViolations } from '../evidence/read-audit-violations.ts';
import { countReservations, readLedger } from '../evidence/read-ledger.ts';
import type { CompletionBench } from './bench.ts';
import { findViolations } from './find-violations.ts';
import type { CallRecord } from './run-call.ts';

/** Checks all calls since the start of the run after each of its rounds. */
export type RunJudge = {
  calls: readonly CallRecord[];
  /** Totals of calls, certificates and charges at the last check. */
  figures: () => object;
  /** Adds the calls of a round; returns the violations that were not found before. */
  check: (records: readonly CallRecord[]) => Promise<string[]>;
};

export const createRunJudge = (bench: CompletionBench): RunJudge => {
  const chain = openChainReader();
  const calls: CallRecord[] = [];
  const known = new Set<string>();
  let figures: object = {};
  return {
    calls,
    figures: () => figures,
    check: async (records) => {
      calls.push(...records);
      const { home, provider } = bench;
      const file = await bench.system.readFile();
      const certificates = await chain.readAll(file);
      const found = findViolations({ calls, received: provider.received(), certificates });
      const { charges, ...charged } = findChargeViolations(certificates, await readLedger(home));
      figures = { counts: found.counts, charges };
      const { settled } = await countReservations(home);
      const { received, lostUnsent, endedUnsent } = found.counts;
      const counted = `${certificates.length} certificates`;
      const unsent = `${lostUnsent} lost and ${endedUnsent} ended before egress`;
      const all = [
        ...found.violations,
        ...(settled === certificates.length ? [] : [`${settled} settled reservations, ${counted}`]),
        ...(received + lostUnsent + endedUnsent === certificates.length
          ? []
          : [`${received} calls received, ${counted}, ${unsent}`]),
        ...charged.violations,
        ...(await readAuditViolations(home, file)),
      ];
      const added = all.filter((one) => !known.has(one));
      for (const one of added) known.add(one);
      return added;
    },
  };
};
