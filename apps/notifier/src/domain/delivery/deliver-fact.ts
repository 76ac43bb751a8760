import { encodeEnvelope } from './encode-envelope.ts';

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

/** A delivery that waits for its first attempt. */
export type DeliveryDraft = { id: string; webhookId: string; event: string; body: string };

/**
 * Books a fact and what `draft` makes of the workspace's webhooks that are active and subscribed to
 * it, in one transaction. Answers how many deliveries there are; a fact that was booked before
 * makes none.
 */
export type BookFact = (
  fact: Pick<Occurrence, 'id' | 'workspaceId' | 'type'>,
  draft: (webhookIds: readonly string[]) => DeliveryDraft[],
) => Promise<number>;

export type DeliverFact = (fact: Occurrence) => Promise<number>;

/** Makes one delivery for each webhook that wants the fact, however often the fact comes. */
export const createDeliverFact =
  ({ book, newId }: { book: BookFact; newId: (prefix: string) => string }): DeliverFact =>
  ({ id, workspaceId, type, occurredAt, data }) =>
    book({ id, workspaceId, type }, (webhookIds) =>
      webhookIds.map((webhookId) => ({
        id: newId('dlv'),
        webhookId,
        event: type,
        body: encodeEnvelope({ event: type, data, timestamp: occurredAt, webhookId }),
      })),
    );
