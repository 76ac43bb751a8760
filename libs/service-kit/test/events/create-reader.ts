import type { Database } from '../../src/database/open-database.ts';
import { everyWorkspace } from '../../src/database/scope.ts';
import type { DomainEvent } from '../../src/events/event.ts';

const RECORD = 'INSERT INTO inbox (fact_id) VALUES (?) ON CONFLICT DO NOTHING RETURNING fact_id';

/** Creates a handler that records events in the inbox: `seen` has repeats, `recorded` has none. */
export const createReader = (database: Database) => {
  const seen: string[] = [];
  const recorded: string[] = [];
  return {
    seen,
    recorded,
    handle: async ({ id }: DomainEvent): Promise<void> => {
      seen.push(id);
      const inserted = await database.scoped(everyWorkspace, (em) =>
        em.execute<object[]>(RECORD, [id]),
      );
      if (inserted.length > 0) recorded.push(id);
    },
  };
};
