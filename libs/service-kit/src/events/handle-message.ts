import { setTimeout as pause } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import { isServiceError } from '@witan/contracts';
import { isDatabaseUnreachable } from '../database/is-database-unreachable.ts';
import type { Log } from '../log/create-log.ts';
import { continueTrace, pickTraceHeaders } from '../telemetry/trace-context.ts';
import { withSpan } from '../telemetry/with-span.ts';
import type { Broker } from './broker.ts';
import type { Poison } from './inbox.ts';
import { decodeEvent, EVENT_STREAM } from './event.ts';
import type { Arrival, DomainEvent, EventHeaders } from './event.ts';

export type Handling = {
  /**
   * Handles an event; must be idempotent. If it rejects, the event is delivered again; if the
   * `attemptsMax`-th or a later delivery fails, the event is dead. An UNAVAILABLE failure never
   * makes it dead and is first retried in this process, because the next event would fail for the
   * same reason.
   */
  handle: (event: DomainEvent, headers: EventHeaders) => Promise<void>;
  /** Stores a dead event. If it rejects, the broker delivers the message again. */
  onPoison: (poison: Poison) => Promise<void>;
  attemptsMax?: number;
  retryDelaysMs?: readonly number[];
  outageDelaysMs?: readonly number[];
};

export type CountOutcome = (outcome: 'handled' | 'failed' | 'given_up') => void;

type HandlingParts = Handling & {
  broker: Broker;
  durable: string;
  log: Log;
  count: CountOutcome;
  stopping: AbortSignal;
};

const ATTEMPTS_MAX = 10;
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 30_000, 60_000];
const OUTAGE_DELAYS_MS = [100, 250, 500, 1_000];
/**
 * Time for which an unreachable dependency is retried in this process. Then the message is returned
 * to the broker, because another replica may reach the dependency.
 */
const OUTAGE_RETRY_MAX_MS = 10_000;
/**
 * Interval at which the lease of a message is extended. Must be shorter than the `ack_wait` of the
 * consumer (10 s in deploy/nats/topology.json).
 */
const WORKING_MS = 3_000;
/**
 * A handler that takes longer counts as failed. It may still complete later, in addition to a
 * retry.
 */
const HANDLE_TIMEOUT_MS = 120_000;
const ACK_TIMEOUT_MS = 5_000;

/**
 * Runs the handler and then acknowledges, delays or terminates the message, depending on the
 * outcome. Never rejects.
 */
export const handleMessage = async (message: JsMsg, parts: HandlingParts): Promise<void> => {
  const { broker, log, count, durable } = parts;
  const arrival = toArrival(message);
  let event: DomainEvent | undefined;
  try {
    event = decodeEvent(arrival);
    await handleThroughOutage(message, event, arrival.headers, parts);
  } catch (error) {
    await onFailure({ message, arrival, event, error }, parts);
    return;
  }
  count('handled');
  try {
    // Waits for confirmation, so that a lost acknowledgement, which causes a second delivery, is
    // logged.
    await broker.use(() => message.ackAck({ timeout: ACK_TIMEOUT_MS }));
  } catch (err) {
    log.debug(
      { event: 'event_ack_failed', err, durable, eventId: event.id },
      'Event handled, but its acknowledgement was not confirmed; it may be redelivered',
    );
  }
};

const toArrival = (message: JsMsg): Arrival => ({
  subject: message.subject,
  headers: Object.fromEntries(
    (message.headers?.keys() ?? []).map((name) => [name.toLowerCase(), message.headers!.get(name)]),
  ),
  payload: message.data,
});

/**
 * Runs the handler and, while one of its dependencies is unreachable, retries it for up to
 * `OUTAGE_RETRY_MAX_MS`. Extends the message's lease meanwhile.
 */
const handleThroughOutage = async (
  message: JsMsg,
  event: DomainEvent,
  headers: EventHeaders,
  parts: HandlingParts,
): Promise<void> => {
  const { outageDelaysMs = OUTAGE_DELAYS_MS, stopping } = parts;
  const heartbeat = setInterval(() => respondToBroker(() => message.working()), WORKING_MS).unref();
  const retryUntilMs = performance.now() + OUTAGE_RETRY_MAX_MS;
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await handleWithTimeout(event, headers, parts);
        return;
      } catch (error) {
        if (!isUnavailable(error) || stopping.aborted || performance.now() > retryUntilMs)
          throw error;
        const delayMs = outageDelaysMs[Math.min(attempt, outageDelaysMs.length - 1)] ?? 0;
        await pause(delayMs, undefined, { signal: stopping }).catch(() => {
          // The process is stopping. One more attempt follows without delay, because the dependency
          // may be reachable again.
        });
      }
    }
  } finally {
    clearInterval(heartbeat);
  }
};

const handleWithTimeout = async (
  event: DomainEvent,
  headers: EventHeaders,
  { handle, durable }: HandlingParts,
): Promise<void> => {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error('The handler exceeded its time limit.')),
    HANDLE_TIMEOUT_MS,
  );
  timer.unref();
  const attributes = {
    'messaging.system': 'nats',
    'messaging.destination.name': EVENT_STREAM,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': durable,
    'messaging.message.id': event.id,
    'witan.fact.type': event.type,
    'witan.workspace.id': event.workspaceId,
  };
  const work = (): Promise<void> =>
    withSpan({ name: `process ${EVENT_STREAM}`, role: 'consumer', attributes }, () =>
      handle(event, headers),
    );
  try {
    await Promise.race([continueTrace(pickTraceHeaders(headers), work), timedOut]);
  } finally {
    clearTimeout(timer);
  }
};

type Failure = { message: JsMsg; arrival: Arrival; event: DomainEvent | undefined; error: unknown };

const onFailure = async (failure: Failure, parts: HandlingParts): Promise<void> => {
  const { message, event, error } = failure;
  const { log, count, durable, onPoison, attemptsMax = ATTEMPTS_MAX } = parts;
  const { retryDelaysMs = RETRY_DELAYS_MS } = parts;
  const attempts = message.info.deliveryCount;
  // The event did not cause the outage of the dependency, so its delay does not grow with the
  // attempts.
  const delayIndex = isUnavailable(error) ? 0 : Math.min(attempts, retryDelaysMs.length) - 1;
  const delayMs = retryDelaysMs[delayIndex] ?? 0;
  const isDead = event === undefined || (attempts >= attemptsMax && !isUnavailable(error));
  const poison = toPoison(failure, attempts);
  const fields = { durable, eventId: poison.id, attempts, err: error };
  if (!isDead) {
    count('failed');
    log.warn({ event: 'event_handler_failed', ...fields }, 'Event handler failed, will retry');
    respondToBroker(() => message.nak(delayMs));
    return;
  }
  try {
    await onPoison(poison);
  } catch (err) {
    log.warn(
      { event: 'dead_event_store_failed', ...fields, err },
      'Dead event could not be stored, will retry',
    );
    respondToBroker(() => message.nak(delayMs));
    return;
  }
  count('given_up');
  log.error(
    { event: 'event_dead', ...fields },
    'Event could not be decoded or handled; marked dead',
  );
  // Sent without a reason, because servers before 2.11 ignore a `term` that has one.
  respondToBroker(() => message.term());
};

const toPoison = ({ message, arrival, event, error }: Failure, attempts: number): Poison => ({
  ...arrival,
  id: event?.id ?? `${message.info.stream}:${message.seq}`,
  workspaceId: event?.workspaceId ?? '',
  attempts,
  errorClass: isServiceError(error) ? error.reason : error instanceof Error ? error.name : 'Error',
  error,
});

const isUnavailable = (error: unknown): boolean =>
  isDatabaseUnreachable(error) || (isServiceError(error) && error.reason.endsWith('UNAVAILABLE'));

/**
 * Runs an acknowledgement and ignores its failure: without a connection, the broker delivers the
 * message again after `ack_wait`.
 */
const respondToBroker = (action: () => void): void => {
  try {
    action();
  } catch {
    // Without a connection, the broker delivers the message again.
  }
};
