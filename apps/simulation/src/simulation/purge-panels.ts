export type PanelOwner = { owner: string; workspaceId: string };

export type PanelPurgeStore = {
  /**
   * Returns an owner whose panels are due for deletion and postpones it by `retryAfterMs`, so that
   * it is claimed again unless it is removed.
   */
  claim: (retryAfterMs: number) => Promise<PanelOwner | undefined>;
  add: (owner: PanelOwner) => Promise<void>;
  remove: (owner: PanelOwner) => Promise<void>;
};

type PurgePanelsDeps = {
  store: Pick<PanelPurgeStore, 'claim' | 'remove'>;
  deletePanels: (owner: PanelOwner) => Promise<void>;
};

const RETRY_AFTER_MS = 60_000;

/**
 * Returns a function that deletes the panels of deleted simulations in the agents service. It
 * rejects at the first failure; the panels concerned are due again after a minute.
 */
export const createPurgePanels =
  ({ store, deletePanels }: PurgePanelsDeps) =>
  async (): Promise<void> => {
    for (;;) {
      const due = await store.claim(RETRY_AFTER_MS);
      if (!due) return;
      await deletePanels(due);
      await store.remove(due);
    }
  };
