import { everyWorkspace, workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { PanelStore, StoredPanel, Verdict } from '../simulation.ts';
import type { PanelOwner, PanelPurgeStore } from '../simulations.ts';

export const createPanelStore = (database: Database): PanelStore => ({
  find: ({ workspaceId, scenarioId, turn }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<StoredPanel[]>(FIND, [workspaceId, scenarioId, turn]);
      return row;
    }),
  recordAttempt: ({ workspaceId, scenarioId, turn }, attempt) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(RECORD_ATTEMPT, [turn, attempt, workspaceId, scenarioId]);
    }),
  saveVerdict: ({ workspaceId, scenarioId, turn }, verdict) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const values = [turn, JSON.stringify(verdict), workspaceId, scenarioId];
      const [row] = await em.execute<{ verdict: Verdict }[]>(SAVE_VERDICT, values);
      // Without a row, the scenario was deleted meanwhile, and the verdict was not stored.
      return row?.verdict ?? verdict;
    }),
});

const FIND = `
  SELECT attempt, verdict FROM council WHERE workspace_id = ? AND scenario_id = ? AND turn = ?`;

const RECORD_ATTEMPT = `
  INSERT INTO council (scenario_id, turn, workspace_id, attempt)
  SELECT id, ?::integer, workspace_id, ?::integer FROM scenario
  WHERE workspace_id = ? AND id = ? FOR KEY SHARE
  ON CONFLICT (scenario_id, turn) DO UPDATE
    SET attempt = greatest(council.attempt, excluded.attempt)`;

const SAVE_VERDICT = `
  INSERT INTO council (scenario_id, turn, workspace_id, verdict)
  SELECT id, ?::integer, workspace_id, ?::json FROM scenario
  WHERE workspace_id = ? AND id = ? FOR KEY SHARE
  ON CONFLICT (scenario_id, turn) DO UPDATE
    SET verdict = coalesce(council.verdict, excluded.verdict)
  RETURNING verdict`;

export const createPanelPurgeStore = (database: Database): PanelPurgeStore => ({
  claim: (retryAfterMs) =>
    database.scoped(everyWorkspace, async (em) => {
      const [due] = await em.execute<PanelOwner[]>(CLAIM, [retryAfterMs]);
      return due;
    }),
  add: (owner) => database.scoped(everyWorkspace, (em) => insertPanelPurge(em, owner)),
  remove: ({ owner }) =>
    database.scoped(everyWorkspace, async (em) => {
      await em.execute(REMOVE, [owner]);
    }),
});

const CLAIM = `
  UPDATE panel_purge SET due_at = clock_timestamp() + make_interval(secs => ? / 1000.0)
  WHERE owner = (
    SELECT owner FROM panel_purge WHERE due_at <= clock_timestamp()
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING owner, workspace_id AS "workspaceId"`;

export const insertPanelPurge = async (
  em: Transaction,
  { owner, workspaceId }: PanelOwner,
): Promise<void> => {
  await em.execute(INSERT_PURGE, [owner, workspaceId]);
};

const INSERT_PURGE = `
  INSERT INTO panel_purge (owner, workspace_id, due_at) VALUES (?, ?, clock_timestamp())
  ON CONFLICT (owner) DO UPDATE SET due_at = excluded.due_at`;

// Keeps an owner that is due, because it was added again after the claim or because the claim
// expired.
const REMOVE = 'DELETE FROM panel_purge WHERE owner = ? AND due_at > clock_timestamp()';
