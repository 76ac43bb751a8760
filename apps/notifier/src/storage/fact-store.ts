import { bookFact, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { BookFact } from '../domain/delivery/deliver-fact.ts';
import { announceDue } from './announce-due.ts';
import { DeliveryEntity } from './entities.ts';

/** Turns facts into deliveries in Postgres; what is booked is booked once. */
export const createBookFact =
  (database: Database): BookFact =>
  ({ id, workspaceId, type }, draft) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      if (!(await bookFact(em, id))) return 0;
      const webhooks = await em.execute<{ id: string }[]>(SUBSCRIBED, [workspaceId, type]);
      const drafts = draft(webhooks.map((webhook) => webhook.id));
      if (drafts.length === 0) return 0;
      await em.insertMany(
        DeliveryEntity,
        drafts.map((one) => ({ ...one, workspaceId, eventId: id })) as never[],
      );
      await announceDue(em);
      return drafts.length;
    });

/** Held, so that none is deleted before its delivery is there. */
const SUBSCRIBED = `
  SELECT id FROM webhook WHERE workspace_id = ? AND is_active AND ? = ANY (events)
  ORDER BY id FOR KEY SHARE`;
