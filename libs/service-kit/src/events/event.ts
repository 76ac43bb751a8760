export type DomainEvent = {
  /** Unique; unchanged when the event is published again. */
  id: string;
  workspaceId: string;
  /** Lower-case terms separated by dots, for example `order.placed`. */
  type: string;
  occurredAt: Date;
  payload: Uint8Array;
};

export type EventHeaders = Readonly<Record<string, string>>;

export const EVENT_STREAM = 'EVENTS';

const SUBJECT_PREFIX = 'events.v1';
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
const TYPE = /^[a-z0-9_-]+(\.[a-z0-9_-]+){0,7}$/;

/**
 * Returns the NATS subject of an event. Throws if the workspace id or the type is not valid in a
 * subject, for example because it contains a wildcard.
 */
export const toSubject = ({
  workspaceId,
  type,
}: Pick<DomainEvent, 'workspaceId' | 'type'>): string => {
  if (!TOKEN.test(workspaceId))
    throw new Error('A workspace id has 1 to 64 letters, digits, _ or -.');
  if (!TYPE.test(type)) throw new Error(`"${type}" is not a valid event type.`);
  return `${SUBJECT_PREFIX}.${workspaceId}.${type}`;
};

/** Returns whether a subject matches a NATS filter, which may contain `*` and end in `>`. */
export const matchesFilter = (subject: string, filter: string): boolean => {
  const tokens = subject.split('.');
  const wanted = filter.split('.');
  const isOpen = wanted.at(-1) === '>';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  return (
    (isOpen ? tokens.length > fixed.length : tokens.length === fixed.length) &&
    fixed.every((token, index) => token === '*' || token === tokens[index])
  );
};

export type Arrival = { subject: string; headers: EventHeaders; payload: Uint8Array };

export const decodeEvent = ({ subject, headers, payload }: Arrival): DomainEvent => {
  const { 'ce-id': id = '', 'ce-type': type = '', 'ce-time': time = '' } = headers;
  const occurredAt = new Date(time);
  const workspaceId = subject.split('.')[2] ?? '';
  if (!TOKEN.test(id)) throw new Error('The message has no ce-id.');
  if (Number.isNaN(occurredAt.getTime())) throw new Error('The message has no ce-time.');
  if (toSubject({ workspaceId, type }) !== subject) {
    throw new Error('The subject of the message does not match its type.');
  }
  return { id, workspaceId, type, occurredAt, payload };
};
