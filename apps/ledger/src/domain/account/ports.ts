/** An account in tokens: `held` is the part of `posted` that calls in flight may still use. */
export type Balance = { posted: number; held: number };

export type EntryKind = 'credit' | 'usage' | 'refund' | 'overrun';

/** One append-only line of an account. */
export type Entry = {
  id: string;
  kind: EntryKind;
  /** Above 0 for every kind. */
  amount: number;
  /** The certificate whose usage this is. */
  certificateId: string | null;
  createdAt: Date;
};

/** Entries of one account, newest first. `next` is the position of the next page, if any. */
export type EntryPage = { entries: Entry[]; next: number | undefined };

/** The token accounts. The first read or credit of a workspace opens its account. */
export type Accounts = {
  balance: (workspaceId: string) => Promise<Balance>;
  entries: (
    workspaceId: string,
    page: { limit: number; before: number | undefined },
  ) => Promise<EntryPage>;
  /**
   * Adds tokens, once for each entry id. Rejects with CONFLICT when the id belongs to another
   * credit or the balance would not be exact as a JSON number.
   */
  credit: (
    workspaceId: string,
    credit: { entryId: string; amount: number; reason: string },
  ) => Promise<{ entry: Entry; balance: Balance }>;
};
