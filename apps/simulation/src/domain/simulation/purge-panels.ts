export type PanelOwner = { owner: string; workspaceId: string };

export type PanelPurgeStore = {
  /** Returns a due owner and postpones it, so that it is retried unless it is forgotten. */
  take: (againAfterMs: number) => Promise<PanelOwner | undefined>;
  note: (owner: PanelOwner) => Promise<void>;
  forget: (owner: PanelOwner) => Promise<void>;
};

type PurgePanelsDeps = {
  store: Pick<PanelPurgeStore, 'take' | 'forget'>;
  deletePanels: (owner: PanelOwner) => Promise<void>;
};

const AGAIN_AFTER_MS = 60_000;

/**
 * Returns a function that deletes the panels of deleted simulations in the agents service. It
 * rejects on failure; the remaining panels are retried after a minute.
 */
export const createPurgePanels =
  ({ store, deletePanels }: PurgePanelsDeps) =>
  async (): Promise<void> => {
    for (;;) {
      const due = await store.take(AGAIN_AFTER_MS);
      if (!due) return;
      await deletePanels(due);
      await store.forget(due);
    }
  };
