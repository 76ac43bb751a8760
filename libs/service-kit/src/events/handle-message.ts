import { setTimeout as pause } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import { isServiceError } from '@witan/contracts';
import { isServerAway } from '../database/is-server-away.ts';
import type { Log } from '../log/create-log.ts';
import { continueTrace, pickTrace } from '../telemetry/carry-trace.ts';
import { withSpan } from '../telemetry/with-span.ts';
import type { Broker } from './broker.ts';
import type { Poison } from './mark-event-dead.ts';
import type { ConsumerOutcome } from './consumer-metrics.ts';
import { decodeEvent, EVENT_STREAM } from './event.ts';
import type { Arrival, DomainEvent, EventHeaders } from './event.ts';

/** What a consumer does with what it is handed. */
export type Handling = {
  /**
   * Handles a fact, safe to run twice. What it rejects with is tried again, and UNAVAILABLE for
   * ever: soon, and by the same process first, for the fact behind it would fare no better.
   */
  handle: (fact: DomainEvent, headers: EventHeaders) => Promise<void>;
  /** Keeps what is given up; if it rejects, the message comes again. */
  onPoison: (poison: Poison) => Promise<void>;
  /** Hand-overs after which a fact that fails is given up; 10 take about 6 minutes. */
  attemptsMax?: number;
  /** Waits before hand-over 2, 3 ...; the last one repeats. */
  retryDelaysMs?: readonly number[];
  /** Waits while something that the handler needs is not reachable; the last one repeats. */
  awayDelaysMs?: readonly number[];
};

type HandlingParts = Handling & {
  broker: Broker;
  durable: string;
  log: Log;
  count: (outcome: ConsumerOutcome) => void;
  /** Nothing is waited for any more. */
  stopping: AbortSignal;
};

const ATTEMPTS_MAX = 10;
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 30_000, 60_000];
const AWAY_DELAYS_MS = [100, 250, 500, 1_000];
/** Then another replica may have more luck. */
const HOLD_MAX_MS = 10_000;
/** A third of the shortest wait for an acknowledgement that a topology should have. */
const WORKING_MS = 3_000;
/** A handler that takes longer hangs; what it may still do, the inbox makes harmless. */
const HANDLE_TIMEOUT_MS = 120_000;
const ACK_TIMEOUT_MS = 5_000;

/** Hands a message over and settles it: acknowledged, to come again, or given up. Never rejects. */
export const handleMessage = async (message: JsMsg, parts: HandlingParts): Promise<void> => {
  const { broker, log, count, durable } = parts;
  const arrival = toArrival(message);
  let fact: DomainEvent | undefined;
  try {
    fact = decodeEvent(arrival);
    await handleWhileHeld(message, fact, arrival.headers, parts);
  } catch (error) {
    await onFailure({ message, arrival, fact, error }, parts);
    return;
  }
  count('handled');
  try {
    // Waits for the broker's word, or the fact would be handled again for nothing.
    await broker.use(() => message.ackAck({ timeout: ACK_TIMEOUT_MS }));
  } catch (err) {
    log.debug({ err, durable, factId: fact.id }, 'no acknowledgement; the fact will come again');
  }
};

const toArrival = (message: JsMsg): Arrival => ({
  subject: message.subject,
  headers: Object.fromEntries(
    (message.headers?.keys() ?? []).map((name) => [name.toLowerCase(), message.headers!.get(name)]),
  ),
  payload: message.data,
});

/** Keeps the message through an outage of what its handler needs, for a while. */
const handleWhileHeld = async (
  message: JsMsg,
  fact: DomainEvent,
  headers: EventHeaders,
  parts: HandlingParts,
): Promise<void> => {
  const { awayDelaysMs = AWAY_DELAYS_MS, stopping } = parts;
  const beat = setInterval(() => settle(() => message.working()), WORKING_MS).unref();
  const until = performance.now() + HOLD_MAX_MS;
  try {
    for (let turn = 0; ; turn += 1) {
      try {
        await handleInTime(fact, headers, parts);
        return;
      } catch (error) {
        if (!isAway(error) || stopping.aborted || performance.now() > until) throw error;
        const delayMs = awayDelaysMs[Math.min(turn, awayDelaysMs.length - 1)] ?? 0;
        await pause(delayMs, undefined, { signal: stopping }).catch(() => {
          // It stops: what the handler needs may be back all the same.
        });
      }
    }
  } finally {
    clearInterval(beat);
  }
};

const handleInTime = async (
  fact: DomainEvent,
  headers: EventHeaders,
  { handle, durable }: HandlingParts,
): Promise<void> => {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The handler hangs.')), HANDLE_TIMEOUT_MS);
  timer.unref();
  const attributes = {
    'messaging.system': 'nats',
    'messaging.destination.name': EVENT_STREAM,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': durable,
    'messaging.message.id': fact.id,
    'witan.fact.type': fact.type,
    'witan.workspace.id': fact.workspaceId,
  };
  const work = (): Promise<void> =>
    withSpan({ name: `process ${EVENT_STREAM}`, role: 'consumer', attributes }, () =>
      handle(fact, headers),
    );
  try {
    await Promise.race([continueTrace(pickTrace(headers), work), tooLate]);
  } finally {
    clearTimeout(timer);
  }
};

type Failure = { message: JsMsg; arrival: Arrival; fact: DomainEvent | undefined; error: unknown };

const onFailure = async (failure: Failure, parts: HandlingParts): Promise<void> => {
  const { message, fact, error } = failure;
  const { log, count, durable, onPoison, attemptsMax = ATTEMPTS_MAX } = parts;
  const { retryDelaysMs = RETRY_DELAYS_MS } = parts;
  const attempts = message.info.deliveryCount;
  // What was away is not the fact's fault: its waits do not grow.
  const place = isAway(error) ? 1 : Math.min(attempts, retryDelaysMs.length);
  const delayMs = retryDelaysMs[place - 1] ?? 0;
  const isHopeless = fact === undefined || (attempts >= attemptsMax && !isAway(error));
  const poison = toPoison(failure, attempts);
  const fields = { durable, factId: poison.id, attempts, err: error };
  if (!isHopeless) {
    count('failed');
    log.warn(fields, 'a fact could not be handled; it comes again');
    settle(() => message.nak(delayMs));
    return;
  }
  try {
    await onPoison(poison);
  } catch (err) {
    log.warn({ ...fields, err }, 'a fact could not be given up; it comes again');
    settle(() => message.nak(delayMs));
    return;
  }
  count('given_up');
  log.error(fields, 'a fact is given up');
  // Without a reason: servers before 2.11 ignore a term that has one.
  settle(() => message.term());
};

const toPoison = ({ message, arrival, fact, error }: Failure, attempts: number): Poison => ({
  ...arrival,
  id: fact?.id ?? `${message.info.stream}:${message.seq}`,
  workspaceId: fact?.workspaceId ?? '',
  attempts,
  errorClass: isServiceError(error) ? error.reason : error instanceof Error ? error.name : 'Error',
  error,
});

/** What is not the fact's fault: some other part cannot be reached. */
const isAway = (error: unknown): boolean =>
  isServerAway(error) || (isServiceError(error) && error.reason.endsWith('UNAVAILABLE'));

/** Without a connection nothing can be settled, and the message comes again by itself. */
const settle = (tell: () => void): void => {
  try {
    tell();
  } catch {
    // The connection was closed; see above.
  }
};
