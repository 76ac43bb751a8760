/** Something that happened, as services tell each other of it. */
export type DomainEvent = {
  /** UUIDv7 (RFC 9562); the same however often the fact is sent. */
  id: string;
  workspaceId: string;
  /** Words with dots between them, for example `order.placed`. */
  type: string;
  occurredAt: Date;
  /** The type's protobuf message. */
  payload: Uint8Array;
};

/** CloudEvents attributes and trace context of a fact, by lower-case name. */
export type EventHeaders = Readonly<Record<string, string>>;

/** The stream that holds the facts of every service. */
export const EVENT_STREAM = 'EVENTS';

const SUBJECT_PREFIX = 'events.v1';
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
const TYPE = /^[a-z0-9_-]+(\.[a-z0-9_-]+){0,7}$/;

/** Where a fact is published. Throws on a workspace id or a type that would widen the subject. */
export const toSubject = ({
  workspaceId,
  type,
}: Pick<DomainEvent, 'workspaceId' | 'type'>): string => {
  if (!TOKEN.test(workspaceId)) throw new Error('A workspace id must be one word of at most 64.');
  if (!TYPE.test(type)) throw new Error(`"${type}" is no type of a fact.`);
  return `${SUBJECT_PREFIX}.${workspaceId}.${type}`;
};

/** What arrived: a message as the broker hands it over. */
export type Arrival = { subject: string; headers: EventHeaders; payload: Uint8Array };

/** The fact of an arrival. Throws when it is none that the relay would have made. */
export const decodeEvent = ({ subject, headers, payload }: Arrival): DomainEvent => {
  const { 'ce-id': id = '', 'ce-type': type = '', 'ce-time': time = '' } = headers;
  const occurredAt = new Date(time);
  const workspaceId = subject.split('.')[2] ?? '';
  if (!TOKEN.test(id)) throw new Error('The message has no ce-id.');
  if (Number.isNaN(occurredAt.getTime())) throw new Error('The message has no ce-time.');
  if (toSubject({ workspaceId, type }) !== subject) {
    throw new Error('The subject of the message is not that of its type.');
  }
  return { id, workspaceId, type, occurredAt, payload };
};
