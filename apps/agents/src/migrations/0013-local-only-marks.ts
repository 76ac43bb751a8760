import { Migration } from '@mikro-orm/migrations';
import { everyWorkspace, SCOPE_SETTING } from '@witan/service-kit';

/**
 * Adds marks to memories and sessions: `local_only` if derived from local-only calls, `tainted` if
 * derived from chat turns whose prompts contained tool results, passages or context. Rows that the
 * previous release writes have no marks.
 */
export class LocalOnlyMarks extends Migration {
  override up(): void {
    this.addSql(ADD_MARK_COLUMNS);
    this.addSql(`SELECT set_config('${SCOPE_SETTING}', '${everyWorkspace.setting}', true)`);
    this.addSql(MARK_SESSIONS);
    this.addSql(MARK_MEMORIES);
  }
}

const ADD_MARK_COLUMNS = `
  ALTER TABLE memory
    ADD COLUMN local_only boolean NOT NULL DEFAULT false,
    ADD COLUMN tainted boolean NOT NULL DEFAULT false,
    ADD COLUMN global_denied boolean NOT NULL DEFAULT false;
  ALTER TABLE session
    ADD COLUMN local_only boolean NOT NULL DEFAULT false,
    ADD COLUMN tainted boolean NOT NULL DEFAULT false`;

/**
 * Marks all sessions of agents that are local-only now, since past messages do not record their
 * model.
 */
const MARK_SESSIONS = `
  UPDATE session SET local_only = true FROM agent
  WHERE agent.id = session.agent_id AND agent.model ILIKE '%sensitive%'`;

const MARK_MEMORIES = `
  UPDATE memory SET local_only = true
  WHERE agent_id IN (SELECT id FROM agent WHERE model ILIKE '%sensitive%')
    OR session_id IN (SELECT id FROM session WHERE local_only)`;
