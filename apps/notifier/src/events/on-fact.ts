import { fromBinary, toJson } from '@bufbuild/protobuf';
import { EVENT_TYPES } from '@witan/contracts';
import type { EventType } from '@witan/contracts';
import type { DomainEvent } from '@witan/service-kit';
import type { DeliverFact } from '../domain/delivery/deliver-fact.ts';

/** Handles one fact; safe to run again, because what is booked is booked once. */
export type OnFact = (fact: DomainEvent) => Promise<void>;

/**
 * Turns a fact into the deliveries of its workspace's webhooks. A type that this release does not
 * know has no subscribers. Throws on a payload that is not of its type.
 */
export const createOnFact =
  (deliverFact: DeliverFact): OnFact =>
  async ({ payload, ...fact }) => {
    if (!isEventType(fact.type)) return;
    await deliverFact({ ...fact, data: decodeData(fact.type, payload) });
  };

const isEventType = (type: string): type is EventType => Object.hasOwn(EVENT_TYPES, type);

/** The event's `data` (Seed 6): every field, those too that are 0 or empty. */
const decodeData = (type: EventType, payload: Uint8Array): object => {
  const schema = EVENT_TYPES[type];
  return toJson(schema, fromBinary(schema, payload), { alwaysEmitImplicit: true }) as object;
};
