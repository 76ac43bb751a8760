import { Migration } from '@mikro-orm/migrations';
import {
  createLog,
  createNatsEvents,
  openBroker,
  openDatabase,
  outboxSql,
  startRelay,
  workspaceScope,
  writeEvent,
} from '@witan/service-kit';
import type { DomainEvent } from '@witan/service-kit';
import { Registry } from 'prom-client';

/** A minimal service that emits events: it has only an outbox and, with a broker, a relay. */
export type Publisher = AsyncDisposable & {
  publish: (...events: readonly DomainEvent[]) => Promise<void>;
};

class Outbox extends Migration {
  override up(): void {
    this.addSql(outboxSql());
  }
}

export const openPublisher = async (options: {
  databaseUrl: string;
  schema: string;
  /** If undefined, writes to the outbox that another process has created and relays. */
  natsUrl: string | undefined;
}): Promise<Publisher> => {
  const { databaseUrl: url, schema, natsUrl } = options;
  const log = createLog({ service: schema, level: 'silent' });
  const migrations = natsUrl === undefined ? [] : [{ name: '0001-outbox', class: Outbox }];
  const database = await openDatabase({ url, schema, entities: [], migrations, log });
  const resources = new AsyncDisposableStack();
  resources.use(database);
  if (natsUrl !== undefined) {
    const broker = resources.use(await openBroker({ url: natsUrl, name: schema, log }));
    const events = createNatsEvents({ broker });
    const registry = new Registry();
    const relay = startRelay({ database, events, source: schema, log, registry });
    resources.defer(relay.stop);
  }
  return {
    publish: (...events) =>
      database.scoped(
        workspaceScope(...new Set(events.map(({ workspaceId }) => workspaceId))),
        async (em) => {
          for (const event of events) await writeEvent(em, event);
        },
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
