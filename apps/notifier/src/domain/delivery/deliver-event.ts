import { splitEnvelope } from './encode-envelope.ts';
import type { SplitEnvelope } from './encode-envelope.ts';

/** An event of a workspace. */
type IncomingEvent = {
  /** The same when the event is redelivered. */
  id: string;
  workspaceId: string;
  type: string;
  occurredAt: Date;
  data: object;
};

/** An event and the common parts of its deliveries. */
export type RecordedEvent = Pick<IncomingEvent, 'id' | 'workspaceId' | 'type'> & {
  /** The ids of the deliveries without their last two digits, which number them. */
  idStem: string;
  /** The bodies of the deliveries without the id of their webhook. */
  envelope: SplitEnvelope;
};

/**
 * Records an event and a delivery for each active, subscribed webhook of the workspace, all or
 * nothing. Returns the number of deliveries, 0 for an event that was recorded before.
 */
export type RecordEvent = (event: RecordedEvent) => Promise<number>;

export type DeliverEvent = (event: IncomingEvent) => Promise<number>;

/** Makes one delivery per subscribed webhook, however often the event is redelivered. */
export const createDeliverEvent =
  ({ record, newId }: { record: RecordEvent; newId: (prefix: string) => string }): DeliverEvent =>
  ({ id, workspaceId, type, occurredAt, data }) =>
    record({
      id,
      workspaceId,
      type,
      // The number of webhooks is not known here, and 50 ids would cost more than all the rest.
      idStem: newId('dlv').slice(0, -COUNT_DIGITS),
      envelope: splitEnvelope({ event: type, data, timestamp: occurredAt }),
    });

/** Enough for the most webhooks that a workspace may have. */
const COUNT_DIGITS = 2;
