import type { Metering } from '../metering.ts';

/** What the ledger's books say of one workspace; amounts in tokens. */
export type WorkspaceBooks = {
  workspaceId: string;
  /** Of the account; both 0 without one. */
  posted: number;
  held: number;
  credited: number;
  /** Entries of usage, what they sum up to, and how many certificates have any. */
  usageEntries: number;
  used: number;
  usedBy: number;
  /** What was used beyond reservation and balance. */
  unpaid: number;
  /** Reservations that have not ended. */
  open: number;
  certificates: number;
  /** Σ usage of the certificates. */
  certified: number;
};

/** What was held against each other. */
export type BooksCheck = { workspaces: number; calls: number; tokens: number };

/** What the calls of a workspace must have left behind. */
export type ExpectedCalls = ReadonlyMap<string, number>;

/**
 * Verifies that the books of every workspace add up after the load: each call has its certificate
 * and one entry, Σ entries = Σ usage in the certificates, posted = credits - Σ charged, and nothing
 * is held. Throws at the first sum that differs.
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
