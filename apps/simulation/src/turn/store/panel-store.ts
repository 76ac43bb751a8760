import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { Verdict } from '../../simulation/simulation.ts';
import type { PanelStore } from '../../simulation/turn-store.ts';

export const createPanelStore = (database: Database): PanelStore => ({
  find: ({ workspaceId, scenarioId, turn }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<CouncilRow[]>(FIND, [workspaceId, scenarioId, turn]);
      return row && { attempt: row.attempt, verdict: toVerdict(row) };
    }),
  recordAttempt: ({ workspaceId, scenarioId, turn }, attempt) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(RECORD_ATTEMPT, [turn, attempt, workspaceId, scenarioId]);
    }),
  saveVerdict: ({ workspaceId, scenarioId, turn }, verdict) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const values = [turn, JSON.stringify(verdict), workspaceId, scenarioId];
      const [row] = await em.execute<CouncilRow[]>(SAVE_VERDICT, values);
      // Without a row, the scenario was deleted meanwhile, and the verdict was not stored.
      return row ? toVerdict(row)! : verdict;
    }),
});

type CouncilRow = { attempt: number; verdict: string | null };

const toVerdict = ({ verdict }: CouncilRow): Verdict | undefined =>
  verdict === null ? undefined : (JSON.parse(verdict) as Verdict);

const FIND = `
  SELECT attempt, verdict::text AS verdict FROM council
  WHERE workspace_id = ? AND scenario_id = ? AND turn = ?`;

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
  RETURNING attempt, verdict::text AS verdict`;
