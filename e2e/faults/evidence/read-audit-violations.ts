import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import { until } from '../until.ts';

/** Interval of the ledger's audits in these runs, in milliseconds. */
export const AUDIT_INTERVAL_MS = 500;
const AUDIT_LIMIT_MS = 10_000;
/** Values of the label `invariant` of `ledger_book_faults`. */
const INVARIANTS = ['balance', 'held', 'settled', 'usage', 'certified'];
/** Log event of the ledger for a violated invariant. */
const ALARM = 'ledger_invariant_violated';

/**
 * Returns the violations that the ledger's own audit found: gauges of `ledger_book_faults` that are
 * missing or not 0 after the next audit, and one violation if the log contains an alarm.
 */
export const readAuditViolations = async (home: string, system: SystemFile): Promise<string[]> => {
  await pause(AUDIT_INTERVAL_MS * 2);
  const log = await readFile(join(home, 'output.log'), 'utf8');
  return [
    ...judgeGauges(await untilAudited(system.adminUrls['ledger']!)),
    ...(log.includes(ALARM) ? [`the ledger's log: ${ALARM}`] : []),
  ];
};

/**
 * Waits until the ledger, which may just have restarted, has finished its first audit; returns its
 * metrics as text. Returns an empty text if that takes more than 10 s.
 */
const untilAudited = async (adminUrl: string): Promise<string> => {
  const audited = await until(AUDIT_LIMIT_MS, async () => {
    const registry = await (await fetch(`${adminUrl}/metrics`)).text();
    return registry.includes('ledger_book_faults{') && registry;
  });
  return audited ?? '';
};

/** Returns a violation for each invariant whose gauge is missing or not 0. */
export const judgeGauges = (registry: string): string[] =>
  INVARIANTS.flatMap((name) => {
    const value = new RegExp(`^ledger_book_faults\\{[^}]*"${name}"[^}]*\\} (\\S+)$`, 'm');
    const found = value.exec(registry)?.[1];
    return found === '0' ? [] : [`ledger_book_faults ${name}: ${found ?? 'missing'}`];
  });
