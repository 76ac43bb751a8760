/** What a workspace's account holds, in tokens. */
export type Balance = { posted: number; held: number };

export type EntryKind = 'credit' | 'usage' | 'refund' | 'overrun';

/** One line of the book of tokens; nothing changes it. */
export type Entry = {
  id: string;
  kind: EntryKind;
  /** Above 0 whatever the kind. */
  amount: number;
  /** The certificate whose usage this is. */
  certificateId: string | null;
  createdAt: Date;
};

/** Entries of one account, newest first. `next` is where to go on from, if there are more. */
export type EntryPage = { entries: Entry[]; next: number | undefined };

/** The token accounts. An account opens by itself when it is first looked at. */
export type Accounts = {
  balance: (workspaceId: string) => Promise<Balance>;
  entries: (
    workspaceId: string,
    page: { limit: number; before: number | undefined },
  ) => Promise<EntryPage>;
  /**
   * Adds tokens, once for each entry id. Rejects with CONFLICT when the id is another credit's, or
   * the balance would no longer be a number that JSON can write.
   */
  credit: (
    workspaceId: string,
    credit: { entryId: string; amount: number; reason: string },
  ) => Promise<{ entry: Entry; balance: Balance }>;
};
