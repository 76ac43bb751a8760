import type { Metering } from '../metering.ts';

/** The ledger's totals of one workspace, in tokens. */
export type WorkspaceBooks = {
  workspaceId: string;
  /** Both 0 without an account. */
  posted: number;
  held: number;
  credited: number;
  /** Usage entries, their sum, and the number of certificates with entries. */
  usageEntries: number;
  used: number;
  usedBy: number;
  /** Used beyond reservation and balance. */
  unpaid: number;
  /** Open reservations. */
  open: number;
  certificates: number;
  /** Sum of usage in the certificates. */
  certified: number;
};

export type BooksCheck = { workspaces: number; calls: number; tokens: number };

/** Number of calls by workspace. */
export type ExpectedCalls = ReadonlyMap<string, number>;

/**
 * Verifies the ledger of every workspace after the load: one certificate and one entry per call,
 * the sum of entries equals the usage in the certificates, balance = credits - charges, nothing
 * reserved. Throws at the first difference.
 */
export const verifyBooks = (
  books: readonly WorkspaceBooks[],
  { calls, metering }: { calls: ExpectedCalls; metering: Metering },
): BooksCheck => {
  const missing = [...calls.keys()].find(
    (id) => !books.some(({ workspaceId }) => workspaceId === id),
  );
  if (missing !== undefined) throw new Error(`${missing} has no books.`);
  for (const one of books) verifyOne(one, { calls: calls.get(one.workspaceId) ?? 0, metering });
  return {
    workspaces: books.length,
    calls: sum(books.map(({ certificates }) => certificates)),
    tokens: sum(books.map(({ used }) => used)),
  };
};

const verifyOne = (
  books: WorkspaceBooks,
  { calls, metering }: { calls: number; metering: Metering },
): void => {
  const charged = metering === 'metered' ? books.used : 0;
  const sums: readonly (readonly [what: string, is: number, shouldBe: number])[] = [
    ['certificates, of calls', books.certificates, calls],
    ['entries of usage, of calls', books.usageEntries, calls],
    ['calls with an entry, of calls', books.usedBy, calls],
    ['tokens entered, of those certified', books.used + books.unpaid, books.certified],
    ['tokens nobody paid for', books.unpaid, 0],
    ['tokens posted, of credits less charges', books.posted, books.credited - charged],
    ['tokens held', books.held, 0],
    ['open reservations', books.open, 0],
  ];
  for (const [what, is, shouldBe] of sums) {
    if (is !== shouldBe) {
      throw new Error(`${books.workspaceId}: ${is} ${what}; it must be ${shouldBe}.`);
    }
  }
};

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
