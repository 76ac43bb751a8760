/** The owner of panels to delete. */
export type PanelOwner = { owner: string; workspaceId: string };

/** Deleted simulations whose panels may still exist. */
export type PanelPurgeStore = {
  /** Takes one that is due. It is due again later unless it is forgotten. */
  take: (againAfterMs: number) => Promise<PanelOwner | undefined>;
  note: (owner: PanelOwner) => Promise<void>;
  /** Forgets the owner unless it was noted again since it was taken. */
  forget: (owner: PanelOwner) => Promise<void>;
};

type PurgePanelsDeps = {
  store: Pick<PanelPurgeStore, 'take' | 'forget'>;
  deletePanels: (owner: PanelOwner) => Promise<void>;
};

const AGAIN_AFTER_MS = 60_000;

/**
 * Returns a function that deletes the panels of deleted simulations in the agents service. It
 * rejects if that fails; the rest is retried a minute later.
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
