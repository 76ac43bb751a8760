import { fromBinary, toJson } from '@bufbuild/protobuf';
import { EVENT_TYPES } from '@witan/contracts';
import type { EventType } from '@witan/contracts';
import type { DomainEvent } from '@witan/service-kit';
import { splitEnvelope } from '../delivery.ts';
import type { RecordEvent } from '../delivery.ts';

export type OnEvent = (event: DomainEvent) => Promise<void>;

/**
 * Number of digits that distinguish the deliveries of one event; a workspace has at most 50
 * webhooks.
 */
const COUNT_DIGITS = 2;

/**
 * Returns the handler of consumed events. It ignores event types that this release does not know,
 * and throws if a payload cannot be decoded.
 */
export const createOnEvent =
  ({ record, newId }: { record: RecordEvent; newId: (prefix: string) => string }): OnEvent =>
  async ({ id, workspaceId, type, occurredAt, payload }) => {
    if (!isEventType(type)) return;
    const data = decodeData(type, payload);
    await record({
      id,
      workspaceId,
      type,
      // A prefix, because the number of webhooks is not known before the insert, and generating an
      // id for each of up to 50 webhooks would dominate the cost.
      idPrefix: newId('dlv').slice(0, -COUNT_DIGITS),
      envelope: splitEnvelope({ event: type, data, timestamp: occurredAt }),
    });
  };

const isEventType = (type: string): type is EventType => Object.hasOwn(EVENT_TYPES, type);

/**
 * Returns the event's `data` as JSON. Includes fields of implicit presence that have their default
 * value, which protobuf's JSON format omits otherwise.
 */
const decodeData = (type: EventType, payload: Uint8Array): object => {
  const schema = EVENT_TYPES[type];
  return toJson(schema, fromBinary(schema, payload), { alwaysEmitImplicit: true }) as object;
};
