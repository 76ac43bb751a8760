import { Migration } from '@mikro-orm/migrations';
import { everyWorkspace, SCOPE_SETTING } from '@witan/service-kit';

export class SessionBytes extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE session ADD COLUMN bytes bigint NOT NULL DEFAULT 0`);
    this.addSql(`SELECT set_config('${SCOPE_SETTING}', '${everyWorkspace.setting}', true)`);
    this.addSql(`
      UPDATE session SET bytes = said.bytes FROM (
        SELECT session_id, sum(octet_length(content)) AS bytes FROM message GROUP BY session_id
      ) AS said WHERE said.session_id = session.id`);
  }
}
