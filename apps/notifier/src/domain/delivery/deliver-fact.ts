import { splitEnvelope } from './encode-envelope.ts';
import type { SplitEnvelope } from './encode-envelope.ts';

/** Something that happened in a workspace. */
type Occurrence = {
  /** The same whenever the same fact comes again. */
  id: string;
  workspaceId: string;
  /** The name of the event. */
  type: string;
  occurredAt: Date;
  /** The event's `data` (Seed 6). */
  data: object;
};

/** A fact, and what its deliveries are made of. */
export type Booking = Pick<Occurrence, 'id' | 'workspaceId' | 'type'> & {
  /** With two digits behind it, which count the deliveries, the id of each. */
  idStem: string;
  /** With the id of its webhook, the body of each. */
  envelope: SplitEnvelope;
};

/**
 * Books a fact, and a delivery of it for each of the workspace's webhooks that are active and
 * subscribed to it, at once or not at all. Answers how many deliveries there are; a fact that was
 * booked before makes none.
 */
export type BookFact = (booking: Booking) => Promise<number>;

export type DeliverFact = (fact: Occurrence) => Promise<number>;

/** Makes one delivery for each webhook that wants the fact, however often the fact comes. */
export const createDeliverFact =
  ({ book, newId }: { book: BookFact; newId: (prefix: string) => string }): DeliverFact =>
  ({ id, workspaceId, type, occurredAt, data }) =>
    book({
      id,
      workspaceId,
      type,
      // Nobody knows yet how many there will be, and 50 ids would cost more than all the rest.
      idStem: newId('dlv').slice(0, -COUNT_DIGITS),
      envelope: splitEnvelope({ event: type, data, timestamp: occurredAt }),
    });

/** Enough for the webhooks that a workspace may have. */
const COUNT_DIGITS = 2;
