import { Migration } from '@mikro-orm/migrations';
import { createTestDatabase } from '@witan/testing';
import { openDatabase } from '../../src/database/open-database.ts';
import type { Database } from '../../src/database/open-database.ts';
import { everyWorkspace, workspaceScope } from '../../src/database/scope.ts';
import { inboxSql } from '../../src/events/inbox.ts';
import { outboxSql } from '../../src/events/outbox-store.ts';
import { writeEvent } from '../../src/events/write-event.ts';
import type { NewEvent } from '../../src/events/write-event.ts';
import { createLog } from '../../src/log/create-log.ts';

const SCHEMA = 'ledger';

class EventTables extends Migration {
  override up(): void {
    this.addSql(outboxSql());
    this.addSql(inboxSql());
  }
}

export const openEventDatabase = async () => {
  const resources = new AsyncDisposableStack();
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  const log = createLog({ service: 'test', level: 'debug', destination });
  const testDatabase = resources.use(await createTestDatabase([SCHEMA]));
  const databaseUrl = testDatabase.urls[SCHEMA]!;
  const open = async (): Promise<Database> => {
    const migrations = [{ name: '0001-boxes', class: EventTables }];
    const options = { url: databaseUrl, schema: SCHEMA, entities: [], migrations, log };
    return resources.use(await openDatabase(options));
  };
  const database = await open();
  return {
    database,
    databaseUrl,
    log,
    logged,
    openDatabase: open,
    write: async (...events: Partial<NewEvent>[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const event of events) ids.push(await writeOne(database, event));
      return ids;
    },
    rows: (sql: string): Promise<Record<string, unknown>[]> =>
      database.scoped(everyWorkspace, (em) => em.execute(sql)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

export type EventDatabase = Awaited<ReturnType<typeof openEventDatabase>>;

const writeOne = (database: Database, event: Partial<NewEvent>): Promise<string> => {
  const { workspaceId = 'ws_a', type = 'order.placed', payload = Uint8Array.of(1, 2, 3) } = event;
  return database.scoped(workspaceScope(workspaceId), (em) =>
    writeEvent(em, { ...event, workspaceId, type, payload }),
  );
};
