import { setTimeout as pause } from 'node:timers/promises';
import { isServiceError } from '@witan/contracts';
import { isDatabaseUnreachable } from '../database/is-database-unreachable.ts';
import type { Log } from '../log/create-log.ts';
import { continueTrace, pickTraceHeaders } from '../telemetry/trace-context.ts';
import { withSpan } from '../telemetry/with-span.ts';
import { decodeEvent, EVENT_STREAM } from './event.ts';
import type { DomainEvent, EventHeaders } from './event.ts';
import type { Delivery, EventTransport } from './event-transport.ts';
import type { Poison } from './inbox.ts';

export type Handling = {
  /**
   * Handles an event; must be idempotent. If it rejects, the event is delivered again; if the
   * `attemptsMax`-th or a later delivery fails, the event is dead. An UNAVAILABLE failure never
   * makes it dead and is first retried in this process, because the next event would fail for the
   * same reason.
   */
  handle: (event: DomainEvent, headers: EventHeaders) => Promise<void>;
  /** Stores a dead event. If it rejects, the event is delivered again. */
  onPoison: (poison: Poison) => Promise<void>;
  attemptsMax?: number;
  retryDelaysMs?: readonly number[];
  outageDelaysMs?: readonly number[];
};

export type CountOutcome = (outcome: 'handled' | 'failed' | 'given_up') => void;

type HandlingParts = Handling & {
  events: Pick<EventTransport, 'system'>;
  durable: string;
  log: Log;
  count: CountOutcome;
  stopping: AbortSignal;
};

const ATTEMPTS_MAX = 10;
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 30_000, 60_000];
const OUTAGE_DELAYS_MS = [100, 250, 500, 1_000];
/**
 * Time for which an unreachable dependency is retried in this process. Then the event is returned
 * to the transport, because another replica may reach the dependency.
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

/**
 * Runs the handler and then acknowledges, delays or drops the delivery, depending on the outcome.
 * Never rejects.
 */
export const handleDelivery = async (delivery: Delivery, parts: HandlingParts): Promise<void> => {
  const { log, count, durable } = parts;
  let event: DomainEvent | undefined;
  try {
    event = decodeEvent(delivery.arrival);
    await handleThroughOutage(delivery, event, parts);
  } catch (error) {
    await onFailure({ delivery, event, error }, parts);
    return;
  }
  count('handled');
  try {
    // Waits for confirmation, so that a lost acknowledgement, which causes a second delivery, is
    // logged.
    await delivery.ack();
  } catch (err) {
    log.debug(
      { event: 'event_ack_failed', err, durable, eventId: event.id },
      'Event handled, but its acknowledgement was not confirmed; it may be redelivered',
    );
  }
};

/**
 * Runs the handler and, while one of its dependencies is unreachable, retries it for up to
 * `OUTAGE_RETRY_MAX_MS`. Extends the lease of the delivery meanwhile.
 */
const handleThroughOutage = async (
  { working, arrival: { headers } }: Delivery,
  event: DomainEvent,
  parts: HandlingParts,
): Promise<void> => {
  const { outageDelaysMs = OUTAGE_DELAYS_MS, stopping } = parts;
  const heartbeat = setInterval(working, WORKING_MS).unref();
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
  { handle, durable, events }: HandlingParts,
): Promise<void> => {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error('The handler exceeded its time limit.')),
    HANDLE_TIMEOUT_MS,
  );
  timer.unref();
  const attributes = {
    'messaging.system': events.system,
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

type Failure = { delivery: Delivery; event: DomainEvent | undefined; error: unknown };

const onFailure = async (failure: Failure, parts: HandlingParts): Promise<void> => {
  const { delivery, event, error } = failure;
  const { log, count, durable, onPoison, attemptsMax = ATTEMPTS_MAX } = parts;
  const { retryDelaysMs = RETRY_DELAYS_MS } = parts;
  const attempts = delivery.count;
  // The event did not cause the outage of the dependency, so its delay does not grow with the
  // attempts.
  const delayIndex = isUnavailable(error) ? 0 : Math.min(attempts, retryDelaysMs.length) - 1;
  const delayMs = retryDelaysMs[delayIndex] ?? 0;
  const isDead = event === undefined || (attempts >= attemptsMax && !isUnavailable(error));
  const poison = toPoison(failure);
  const fields = { durable, eventId: poison.id, attempts, err: error };
  if (!isDead) {
    count('failed');
    log.warn({ event: 'event_handler_failed', ...fields }, 'Event handler failed, will retry');
    delivery.retry(delayMs);
    return;
  }
  try {
    await onPoison(poison);
  } catch (err) {
    log.warn(
      { event: 'dead_event_store_failed', ...fields, reason: String(error), err },
      'Dead event could not be stored, will retry',
    );
    delivery.retry(delayMs);
    return;
  }
  count('given_up');
  log.error(
    { event: 'event_dead', ...fields },
    'Event could not be decoded or handled; marked dead',
  );
  delivery.drop();
};

const toPoison = ({ delivery, event, error }: Failure): Poison => ({
  ...delivery.arrival,
  id: event?.id ?? delivery.messageId,
  workspaceId: event?.workspaceId ?? '',
  attempts: delivery.count,
  errorClass: isServiceError(error) ? error.reason : error instanceof Error ? error.name : 'Error',
  error,
});

const isUnavailable = (error: unknown): boolean =>
  isDatabaseUnreachable(error) || (isServiceError(error) && error.reason.endsWith('UNAVAILABLE'));
