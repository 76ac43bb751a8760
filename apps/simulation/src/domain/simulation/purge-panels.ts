/** Whose panels are to go. */
export type PanelOwner = { owner: string; workspaceId: string };

/** Simulations that are gone and whose panels may not be. */
export type PanelPurgeStore = {
  /** One that is due, which is due again after a while unless it is forgotten. */
  take: (againAfterMs: number) => Promise<PanelOwner | undefined>;
  note: (owner: PanelOwner) => Promise<void>;
  /** Unless it was noted again since it was taken. */
  forget: (owner: PanelOwner) => Promise<void>;
};

type PurgePanelsDeps = {
  store: Pick<PanelPurgeStore, 'take' | 'forget'>;
  deletePanels: (owner: PanelOwner) => Promise<void>;
};

const AGAIN_AFTER_MS = 60_000;

/**
 * Has the panels of deleted simulations deleted where they are kept. Rejects as that fails; what is
 * left is tried again a minute later.
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
