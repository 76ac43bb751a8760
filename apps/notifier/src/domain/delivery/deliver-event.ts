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
  /** Common prefix of the delivery ids. Two digits are appended to number the deliveries. */
  idPrefix: string;
  envelope: SplitEnvelope;
};

/**
 * Records an event and one delivery for each active, subscribed webhook of the workspace in one
 * transaction. Returns the number of deliveries, or 0 for an event that was recorded before.
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
      // The number of webhooks is unknown here, and generating 50 ids would dominate the cost.
      idPrefix: newId('dlv').slice(0, -COUNT_DIGITS),
      envelope: splitEnvelope({ event: type, data, timestamp: occurredAt }),
    });

/** Number of digits that suffices for the maximum number of webhooks of a workspace. */
const COUNT_DIGITS = 2;
