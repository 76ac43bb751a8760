import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { Report, ReportStore } from '../../simulation/turn-store.ts';
import { LeaseLostError } from '../../simulation/turn-store.ts';
import { emitReportReady } from '../../simulation/store/emit-simulation-events.ts';

export const createReportStore = (database: Database): ReportStore => ({
  find: (workspaceId, simulationId) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<{ body: string }[]>(FIND, [workspaceId, simulationId]);
      return row && (JSON.parse(row.body) as Report);
    }),
  finalize: (leased, report) =>
    database.scoped(workspaceScope(leased.workspaceId), async (em) => {
      const { workspaceId, simulationId, lease } = leased;
      const [row] = await em.execute<{ name: string; currentTurn: number }[]>(FINALIZE, [
        workspaceId,
        simulationId,
        lease,
      ]);
      if (!row) throw new LeaseLostError();
      await em.execute(INSERT, [simulationId, workspaceId, JSON.stringify(report)]);
      await emitReportReady(em, leased, { name: row.name, turnsCompleted: row.currentTurn });
    }),
});

const FIND = `
  SELECT body::text AS body FROM report WHERE workspace_id = ? AND simulation_id = ?`;

const FINALIZE = `
  UPDATE simulation SET status = 'finalized'
  WHERE workspace_id = ? AND id = ? AND lease = ? AND status = 'active'
  RETURNING name, current_turn AS "currentTurn"`;

const INSERT = `
  INSERT INTO report (simulation_id, workspace_id, body, created_at)
  VALUES (?, ?, ?::json, clock_timestamp())`;
