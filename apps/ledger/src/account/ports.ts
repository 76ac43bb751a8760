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

/** Token accounts. The first read or credit of a workspace opens its account. */
export type Accounts = {
  balance: (workspaceId: string) => Promise<Balance>;
  entries: (
    workspaceId: string,
    page: { limit: number; before: number | undefined },
  ) => Promise<EntryPage>;
  /**
   * Adds tokens to a workspace's balance; repeating a credit with the same entry id adds nothing.
   * Rejects with CONFLICT if the id belongs to another credit or the balance would exceed
   * Number.MAX_SAFE_INTEGER.
   */
  credit: (
    workspaceId: string,
    credit: { entryId: string; amount: number; reason: string },
  ) => Promise<{ entry: Entry; balance: Balance }>;
};
