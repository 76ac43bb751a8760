import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';

/** Interval of the ledger's audit in these runs. */
export const AUDIT_INTERVAL_MS = 500;
const PATIENCE_MS = 10_000;
const POLL_MS = 100;
/** The invariants, which are label values of `ledger_book_faults`. */
const INVARIANTS = ['balance', 'held', 'settled', 'usage', 'certified'];
/** Event logged by the ledger for a violated invariant. */
const ALARM = 'ledger_invariant_violated';

/**
 * Returns the ledger's own findings: `ledger_book_faults` after the next audit, and its log since
 * the start.
 */
export const readLedgerViolations = async (home: string, system: SystemFile): Promise<string[]> => {
  await pause(AUDIT_INTERVAL_MS * 2);
  const log = await readFile(join(home, 'output.log'), 'utf8');
  return [
    ...judgeGauges(await untilAudited(system.adminUrls['ledger']!)),
    ...(log.includes(ALARM) ? [`the ledger's log: ${ALARM}`] : []),
  ];
};

/** Waits for the first audit of a ledger that has just started; returns its metrics. */
const untilAudited = async (adminUrl: string): Promise<string> => {
  for (const deadline = Date.now() + PATIENCE_MS; ;) {
    const registry = await (await fetch(`${adminUrl}/metrics`)).text();
    if (registry.includes('ledger_book_faults{') || Date.now() > deadline) return registry;
    await pause(POLL_MS);
  }
};

/** Returns the invariants that are missing or not 0. */
export const judgeGauges = (registry: string): string[] =>
  INVARIANTS.flatMap((name) => {
    const value = new RegExp(`^ledger_book_faults\\{[^}]*"${name}"[^}]*\\} (\\S+)$`, 'm');
    const found = value.exec(registry)?.[1];
    return found === '0' ? [] : [`ledger_book_faults ${name}: ${found ?? 'not there'}`];
  });
