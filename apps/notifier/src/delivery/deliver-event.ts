import { splitEnvelope } from './encode-envelope.ts';
import type { SplitEnvelope } from './encode-envelope.ts';

type IncomingEvent = {
  id: string;
  workspaceId: string;
  type: string;
  occurredAt: Date;
  data: object;
};

export type RecordedEvent = Pick<IncomingEvent, 'id' | 'workspaceId' | 'type'> & {
  /**
   * Common prefix of the ids of the event's deliveries. Two digits are appended to it per delivery.
   */
  idPrefix: string;
  envelope: SplitEnvelope;
};

/**
 * Writes an event and one delivery for each active, subscribed webhook of the workspace in one
 * transaction. Returns the number of deliveries, or 0 if the event was recorded before.
 */
export type RecordEvent = (event: RecordedEvent) => Promise<number>;

export type DeliverEvent = (event: IncomingEvent) => Promise<number>;

export const createDeliverEvent =
  ({ record, newId }: { record: RecordEvent; newId: (prefix: string) => string }): DeliverEvent =>
  ({ id, workspaceId, type, occurredAt, data }) =>
    record({
      id,
      workspaceId,
      type,
      // A prefix, because the number of webhooks is not known before the insert, and generating an
      // id for each of up to 50 webhooks would dominate the cost.
      idPrefix: newId('dlv').slice(0, -COUNT_DIGITS),
      envelope: splitEnvelope({ event: type, data, timestamp: occurredAt }),
    });

/**
 * Number of digits that distinguish the deliveries of one event; a workspace has at most 50
 * webhooks.
 */
const COUNT_DIGITS = 2;
