import { Migration } from '@mikro-orm/migrations';
import { createTestDatabase } from '@witan/testing';
import { openDatabase } from '../../src/database/open-database.ts';
import type { Database } from '../../src/database/open-database.ts';
import { everyWorkspace, workspaceScope } from '../../src/database/scope.ts';
import { inboxSql } from '../../src/events/inbox-sql.ts';
import { outboxSql } from '../../src/events/outbox-sql.ts';
import { writeEvent } from '../../src/events/write-event.ts';
import type { NewEvent } from '../../src/events/write-event.ts';
import { createLog } from '../../src/log/create-log.ts';

const SCHEMA = 'ledger';

class BoxTables extends Migration {
  override up(): void {
    this.addSql(outboxSql());
    this.addSql(inboxSql());
  }
}

/** A service's database that holds an outbox and an inbox. */
export const openBoxes = async () => {
  const owned = new AsyncDisposableStack();
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  const log = createLog({ service: 'test', level: 'debug', destination });
  const place = owned.use(await createTestDatabase([SCHEMA]));
  const databaseUrl = place.urls[SCHEMA]!;
  const open = async (): Promise<Database> => {
    const migrations = [{ name: '0001-boxes', class: BoxTables }];
    const options = { url: databaseUrl, schema: SCHEMA, entities: [], migrations, log };
    return owned.use(await openDatabase(options));
  };
  const database = await open();
  return {
    database,
    databaseUrl,
    log,
    logged,
    /** The same database, as another replica has it. */
    openDatabase: open,
    /** Commits facts, each in a transaction of its own. Answers their ids. */
    write: async (...facts: Partial<NewEvent>[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const fact of facts) ids.push(await writeOne(database, fact));
      return ids;
    },
    rows: (sql: string): Promise<Record<string, unknown>[]> =>
      database.scoped(everyWorkspace, (em) => em.execute(sql)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

export type Boxes = Awaited<ReturnType<typeof openBoxes>>;

const writeOne = (database: Database, fact: Partial<NewEvent>): Promise<string> => {
  const { workspaceId = 'ws_a', type = 'order.placed', payload = Uint8Array.of(1, 2, 3) } = fact;
  return database.scoped(workspaceScope(workspaceId), (em) =>
    writeEvent(em, { ...fact, workspaceId, type, payload }),
  );
};
