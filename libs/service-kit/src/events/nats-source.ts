import { jetstream } from '@nats-io/jetstream';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Log } from '../log/create-log.ts';
import { createWakeSignal } from '../schedule/wake-signal.ts';
import { BrokerUnavailable } from './broker.ts';
import type { Broker } from './broker.ts';
import { EVENT_STREAM } from './event.ts';
import type { Arrival } from './event.ts';
import type { Delivery, Source } from './event-transport.ts';
import { isMissing, restoreTopology } from './topology.ts';
import type { Topology } from './topology.ts';

export type NatsSourceParts = {
  broker: Broker;
  topology: Topology;
  durable: string;
  log: Log;
  fetchTiming?: { expiresMs: number; heartbeatMs: number };
};

const DEFAULT_FETCH_TIMING = { expiresMs: 30_000, heartbeatMs: 3_000 };
const RETRY_MS = 250;
const RETRY_MAX_MS = 10_000;
const RECONNECT_WAIT_MS = 60_000;
const ACK_TIMEOUT_MS = 5_000;
/**
 * Number of consecutive failures after which this process creates missing streams and consumers
 * itself. Fewer failures are normal while the job that applies the topology has not finished.
 */
const MISSES_BEFORE_RESTORE = 2;

/** Fetches the messages of a durable JetStream consumer, one at a time. */
export const createNatsSource = (parts: NatsSourceParts): Source => {
  const { broker, durable, log } = parts;
  const wakeSignal = createWakeSignal();
  const unsubscribe = broker.onConnect(wakeSignal.notify);
  const fetcher = createFetcher(parts);
  let isStopped = false;
  let failures = 0;
  const recover = async (err: unknown): Promise<void> => {
    if (err instanceof BrokerUnavailable) return wakeSignal.wait(RECONNECT_WAIT_MS);
    failures += 1;
    if (failures === 1)
      log.warn(
        { event: 'event_fetch_failed', err, durable },
        'Events could not be fetched, will retry',
      );
    if (isMissing(err) && failures >= MISSES_BEFORE_RESTORE) await restore(parts);
    await wakeSignal.wait(Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MAX_MS));
  };
  return {
    next: async () => {
      try {
        const message = await fetcher.fetch();
        failures = 0;
        return message && toDelivery(message, broker);
      } catch (err) {
        if (!isStopped) await recover(err);
        return undefined;
      }
    },
    stop: () => {
      isStopped = true;
      unsubscribe();
      fetcher.stop();
      wakeSignal.notify();
    },
  };
};

const createFetcher = ({
  broker,
  durable,
  fetchTiming = DEFAULT_FETCH_TIMING,
}: NatsSourceParts) => {
  let consumer: Consumer | undefined;
  let currentFetch: ConsumerMessages | undefined;
  let isStopped = false;
  const closeFetch = (): void => void currentFetch?.close();
  const fetchOne = async (): Promise<JsMsg | undefined> => {
    consumer ??= await broker.use((connection) =>
      jetstream(connection).consumers.get(EVENT_STREAM, durable),
    );
    const messages = await consumer.fetch({
      max_messages: 1,
      expires: fetchTiming.expiresMs,
      idle_heartbeat: fetchTiming.heartbeatMs,
    });
    currentFetch = messages;
    if (isStopped) closeFetch();
    let receivedMessage: JsMsg | undefined;
    // Reads the iterator to its end, because the client frees it only then. It ends after at most
    // one message.
    for await (const message of messages) receivedMessage = message;
    return receivedMessage;
  };
  return {
    fetch: async (): Promise<JsMsg | undefined> => {
      try {
        return await broker.use(fetchOne);
      } catch (error) {
        consumer = undefined;
        throw error;
      } finally {
        closeFetch();
        currentFetch = undefined;
      }
    },
    stop: (): void => {
      isStopped = true;
      closeFetch();
    },
  };
};

const restore = async ({ broker, topology, durable, log }: NatsSourceParts): Promise<void> => {
  try {
    const changes = await broker.use((connection) => restoreTopology(connection, topology));
    const additions = changes.filter(({ change }) => change === 'added');
    log.warn(
      { event: 'topology_restored', durable, added: additions.length },
      'Missing streams and consumers exist again',
    );
  } catch (err) {
    log.warn(
      { event: 'topology_restore_failed', err, durable },
      'Missing streams or consumers could not be recreated',
    );
  }
};

const toDelivery = (message: JsMsg, broker: Broker): Delivery => ({
  arrival: readArrival(message),
  messageId: `${message.info.stream}:${message.seq}`,
  count: message.info.deliveryCount,
  working: () => respond(() => message.working()),
  ack: async () => void (await broker.use(() => message.ackAck({ timeout: ACK_TIMEOUT_MS }))),
  retry: (delayMs) => respond(() => message.nak(delayMs)),
  // Sent without a reason, because servers before 2.11 ignore a `term` that has one.
  drop: () => respond(() => message.term()),
});

const readArrival = (message: JsMsg): Arrival => ({
  subject: message.subject,
  headers: Object.fromEntries(
    (message.headers?.keys() ?? []).map((name) => [name.toLowerCase(), message.headers!.get(name)]),
  ),
  payload: message.data,
});

/**
 * Runs an acknowledgement and ignores its failure: without a connection, the broker delivers the
 * message again after `ack_wait`.
 */
const respond = (action: () => void): void => {
  try {
    action();
  } catch {
    // Without a connection, the broker delivers the message again.
  }
};
