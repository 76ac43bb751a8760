import { randomUUID } from 'node:crypto';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type {
  DebateArchive,
  DebateProgress,
  DebateStore,
  FoundDebate,
  LeasedDebate,
  TakeOverDebate,
} from '../record/debate-store.ts';
import { beginDebate } from './begin-debate.ts';
import { readDebateEvents } from './debate-events.ts';
import { readDebateRows, toStoredDebate } from './debate-rows.ts';
import { saveSteps } from './save-steps.ts';

export const createDebateStore = (database: Database): DebateStore => ({
  begin: (workspaceId, debate, leaseMs) =>
    beginDebate(database.query, { workspaceId, debate, lease: randomUUID(), leaseMs }),
  acquire: async (leaseMs) => {
    const lease = randomUUID();
    const leasedAt = performance.now();
    const [row] = await database.query<LeasedRow>({
      name: 'lease_debate',
      text: 'SELECT * FROM lease_debate($1, $2)',
      values: [lease, leaseMs],
    });
    return row && { ...row, lease, leasedAt };
  },
  renew: async ({ workspaceId, id, lease }, leaseMs) => {
    const [row] = await database.query<{ isRenewed: boolean }>({
      name: 'renew_debate',
      text: 'SELECT * FROM renew_debate($1, $2, $3, $4)',
      values: [workspaceScope(workspaceId).setting, id, lease, leaseMs],
    });
    return row!.isRenewed;
  },
  release: async ({ workspaceId, id, lease }) => {
    await database.query({
      name: 'release_debate',
      text: 'SELECT release_debate($1, $2, $3)',
      values: [workspaceScope(workspaceId).setting, id, lease],
    });
  },
  save: (leased, steps) => saveSteps(database.query, leased, steps),
});

type LeasedRow = Omit<LeasedDebate, 'lease' | 'leasedAt'>;

export const createTakeOverDebate =
  (database: Database): TakeOverDebate =>
  async (workspaceId, id, leaseMs) => {
    const lease = randomUUID();
    const leasedAt = performance.now();
    const [row] = await database.query<Pick<LeasedDebate, 'conversationId' | 'attempts'>>({
      name: 'take_over_debate',
      text: 'SELECT * FROM take_over_debate($1, $2, $3, $4)',
      values: [workspaceScope(workspaceId).setting, id, lease, leaseMs],
    });
    return row && { workspaceId, id, ...row, lease, leasedAt };
  };

export const createDebateArchive = (database: Database): DebateArchive => ({
  find: async (workspaceId, debateId) => {
    const [found] = await database.query<FoundDebate>({
      name: 'find_debate',
      text: 'SELECT * FROM find_debate($1, $2)',
      values: [workspaceScope(workspaceId).setting, debateId],
    });
    return found;
  },
  findProgress: async (workspaceId, debateId) => {
    const [found] = await database.query<DebateProgress>({
      name: 'read_debate_state',
      text: 'SELECT * FROM read_debate_state($1, $2)',
      values: [workspaceScope(workspaceId).setting, debateId],
    });
    return found;
  },
  load: async (workspaceId, debateId) => {
    const rows = await readDebateRows(database.query, workspaceId, debateId);
    return rows && toStoredDebate(rows);
  },
  readEvents: (workspaceId, debateId, afterSeq) =>
    readDebateEvents(database.query, [workspaceId, debateId], afterSeq),
  deletePanels: (workspaceId, owner) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute('DELETE FROM debate WHERE workspace_id = ? AND owner = ?', [
        workspaceId,
        owner,
      ]);
    }),
});
