import type { SystemFile } from '@witan/stack';
import { findChargeViolations } from './completions/find-charge-violations.ts';
import { followChain } from './completions/follow-chain.ts';
import { readBookFaults } from './completions/read-book-faults.ts';
import { readBooks } from './completions/read-books.ts';
import { findPaperViolations } from './debates/find-paper-violations.ts';
import type { Papers } from './debates/find-paper-violations.ts';
import { untilNothingHeld } from './until-nothing-held.ts';

/** What a run has left: certificates for its calls, and charges for those. */
export type JudgedPapers = {
  calls: number;
  certificates: number;
  charged: number;
  violations: string[];
};

/** The sweeper ends what a killed llm-gateway left, 15 s after its call's time is over. */
const SWEPT_AFTER_MS = 40_000;

/** Holds chain and books against what the provider received, once nothing is in flight. */
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
