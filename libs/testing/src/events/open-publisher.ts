import { Migration } from '@mikro-orm/migrations';
import {
  createLog,
  openBroker,
  openDatabase,
  outboxSql,
  startRelay,
  workspaceScope,
  writeEvent,
} from '@witan/service-kit';
import type { DomainEvent } from '@witan/service-kit';
import { Registry } from 'prom-client';

/** A service that publishes facts, as far as others can tell: an outbox and its relay. */
export type Publisher = AsyncDisposable & {
  /** Commits the facts, all or none. */
  publish: (...facts: readonly DomainEvent[]) => Promise<void>;
};

class Outbox extends Migration {
  override up(): void {
    this.addSql(outboxSql());
  }
}

/** Takes the schema of `databaseUrl`'s role, and makes its outbox on first use. */
export const openPublisher = async (options: {
  databaseUrl: string;
  schema: string;
  natsUrl: string;
}): Promise<Publisher> => {
  const { databaseUrl: url, schema, natsUrl } = options;
  const log = createLog({ service: schema, level: 'silent' });
  const migrations = [{ name: '0001-outbox', class: Outbox }];
  const database = await openDatabase({ url, schema, entities: [], migrations, log });
  const broker = await openBroker({ url: natsUrl, name: schema, log });
  const relay = startRelay({ database, broker, source: schema, log, registry: new Registry() });
  return {
    publish: (...facts) =>
      database.scoped(
        workspaceScope(...new Set(facts.map(({ workspaceId }) => workspaceId))),
        async (em) => {
          for (const fact of facts) await writeEvent(em, fact);
        },
      ),
    [Symbol.asyncDispose]: async () => {
      await relay.stop();
      await broker[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};
