import type { SystemFile } from '@witan/stack';
import { findChargeViolations } from './completions/find-charge-violations.ts';
import { followChain } from './completions/follow-chain.ts';
import { readBookFaults } from './completions/read-book-faults.ts';
import { readBooks } from './completions/read-books.ts';
import { findPaperViolations } from './debates/find-paper-violations.ts';
import type { Papers } from './debates/find-paper-violations.ts';
import { untilNothingHeld } from './until-nothing-held.ts';

/** Certificates and charges of a run. */
export type JudgedPapers = {
  calls: number;
  certificates: number;
  charged: number;
  violations: string[];
};

/** The sweeper ends reservations of a killed llm-gateway 15 s after the call's timeout. */
const SWEPT_AFTER_MS = 40_000;

/** Compares chain and ledger with what the provider received, once no call is in flight. */
export const judgePapers = async (
  { home, completionTimeoutMs }: { home: string; completionTimeoutMs: number },
  readFile: () => Promise<SystemFile>,
  { calls, named }: Omit<Papers, 'certificates'>,
): Promise<JudgedPapers> => {
  const sweptMs = await untilNothingHeld(home, completionTimeoutMs + SWEPT_AFTER_MS);
  const violations = sweptMs === undefined ? ['reservations were never ended'] : [];
  const file = await readFile();
  const certificates = await followChain().readOn(file);
  violations.push(...findPaperViolations({ calls, certificates, named }));
  const paid = findChargeViolations(certificates, await readBooks(home));
  violations.push(...paid.violations, ...(await readBookFaults(home, file)));
  const { charged } = paid.charges;
  return { calls: calls.length, certificates: certificates.length, charged, violations };
};
