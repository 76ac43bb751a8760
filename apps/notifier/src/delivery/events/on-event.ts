import { fromBinary, toJson } from '@bufbuild/protobuf';
import { EVENT_TYPES } from '@witan/contracts';
import type { EventType } from '@witan/contracts';
import type { DomainEvent } from '@witan/service-kit';
import type { DeliverEvent } from '../deliver-event.ts';

export type OnEvent = (event: DomainEvent) => Promise<void>;

/**
 * Returns the handler of consumed events. It ignores event types that this release does not know,
 * and throws if a payload cannot be decoded.
 */
export const createOnEvent =
  (deliverEvent: DeliverEvent): OnEvent =>
  async ({ payload, ...event }) => {
    if (!isEventType(event.type)) return;
    await deliverEvent({ ...event, data: decodeData(event.type, payload) });
  };

const isEventType = (type: string): type is EventType => Object.hasOwn(EVENT_TYPES, type);

/**
 * Returns the event's `data` as JSON. Includes fields with default values, which protobuf's JSON
 * format omits otherwise.
 */
const decodeData = (type: EventType, payload: Uint8Array): object => {
  const schema = EVENT_TYPES[type];
  return toJson(schema, fromBinary(schema, payload), { alwaysEmitImplicit: true }) as object;
};
