export type Balance = { posted: number; held: number };

export type EntryKind = 'credit' | 'usage' | 'refund' | 'overrun';

export type Entry = {
  id: string;
  kind: EntryKind;
  amount: number;
  certificateId: string | null;
  createdAt: Date;
};

export type EntryPage = { entries: Entry[]; next: number | undefined };

/** Token accounts. Each method opens the account of a workspace that has none. */
export type Accounts = {
  balance: (workspaceId: string) => Promise<Balance>;
  entries: (
    workspaceId: string,
    page: { limit: number; before: number | undefined },
  ) => Promise<EntryPage>;
  /**
   * Adds tokens to a workspace's balance; repeating a credit with the same entry id adds nothing.
   * Rejects with CONFLICT if the id was used for another amount or by another workspace, or if the
   * balance would exceed Number.MAX_SAFE_INTEGER.
   */
  credit: (
    workspaceId: string,
    credit: { entryId: string; amount: number; reason: string },
  ) => Promise<{ entry: Entry; balance: Balance }>;
};
