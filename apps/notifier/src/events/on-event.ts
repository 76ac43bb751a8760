import { fromBinary, toJson } from '@bufbuild/protobuf';
import { EVENT_TYPES } from '@witan/contracts';
import type { EventType } from '@witan/contracts';
import type { DomainEvent } from '@witan/service-kit';
import type { DeliverEvent } from '../domain/delivery/deliver-event.ts';

/** Handles one event; idempotent by event id. */
export type OnEvent = (event: DomainEvent) => Promise<void>;

/**
 * Turns an event into deliveries to its workspace's webhooks. Ignores a type that this release does
 * not know, because it has no subscribers. Throws on a payload that is not of its type.
 */
export const createOnEvent =
  (deliverEvent: DeliverEvent): OnEvent =>
  async ({ payload, ...event }) => {
    if (!isEventType(event.type)) return;
    await deliverEvent({ ...event, data: decodeData(event.type, payload) });
  };

const isEventType = (type: string): type is EventType => Object.hasOwn(EVENT_TYPES, type);

/** Returns the event's `data` with every field, including those that are 0 or empty. */
const decodeData = (type: EventType, payload: Uint8Array): object => {
  const schema = EVENT_TYPES[type];
  return toJson(schema, fromBinary(schema, payload), { alwaysEmitImplicit: true }) as object;
};
