import { jetstream } from '@nats-io/jetstream';
import type { Consumer as PullConsumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { topology as declared } from '@witan/contracts/topology';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Log } from '../log/create-log.ts';
import { createWakeSignal } from '../schedule/wake-signal.ts';
import { BrokerUnavailable } from './broker.ts';
import type { Broker } from './broker.ts';
import { EVENT_STREAM } from './event.ts';
import { handleMessage } from './handle-message.ts';
import type { CountOutcome, Handling } from './handle-message.ts';
import { isMissing, restoreTopology } from './topology.ts';
import type { Topology } from './topology.ts';

export type Consumer = {
  stop: () => Promise<void>;
};

export type ConsumerOptions = Handling & {
  broker: Broker;
  durable: string;
  log: Log;
  registry: Registry;
  /** Maximum number of events that this process handles concurrently; 1 by default. */
  lanes?: number;
  topology?: Topology;
  fetchTiming?: { expiresMs: number; heartbeatMs: number };
};

const DEFAULT_FETCH_TIMING = { expiresMs: 30_000, heartbeatMs: 3_000 };
const RETRY_MS = 250;
const RETRY_MAX_MS = 10_000;
const RECONNECT_WAIT_MS = 60_000;
/**
 * Number of consecutive failures after which this process creates missing streams and consumers
 * itself. Fewer failures are normal while the job that applies the topology has not finished.
 */
const MISSES_BEFORE_RESTORE = 2;

/**
 * Passes the events of a durable consumer to the handler, each at least once, until stopped.
 * Continues after a broker outage, missing heartbeats and the deletion of the consumer.
 */
export const startConsumer = (options: ConsumerOptions): Consumer => {
  const counter = new Counter({
    name: 'consumer_facts_total',
    help: 'Events delivered to a consumer, by outcome.',
    labelNames: ['consumer', 'outcome'] as const,
    registers: [options.registry],
  });
  const count: CountOutcome = (outcome) => counter.inc({ consumer: options.durable, outcome });
  const lanes = Array.from({ length: options.lanes ?? 1 }, () => startLane(options, count));
  return {
    stop: async () => {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
};

const startLane = (options: ConsumerOptions, count: CountOutcome): Consumer => {
  const { broker, durable, log } = options;
  const stopping = new AbortController();
  const parts = { ...options, count, stopping: stopping.signal };
  const wakeSignal = createWakeSignal();
  const source = createSource(options);
  const unsubscribe = broker.onConnect(wakeSignal.notify);
  let failures = 0;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const message = await source.next();
        failures = 0;
        if (message) await handleMessage(message, parts);
      } catch (err) {
        if (stopping.signal.aborted) break;
        if (err instanceof BrokerUnavailable) {
          await wakeSignal.wait(RECONNECT_WAIT_MS);
          continue;
        }
        failures += 1;
        if (failures === 1)
          log.warn(
            { event: 'event_fetch_failed', err, durable },
            'Events could not be fetched, will retry',
          );
        await source.restore(failures, err);
        await wakeSignal.wait(Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MAX_MS));
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      unsubscribe();
      source.stop();
      wakeSignal.notify();
      await running;
    },
  };
};

type Source = {
  next: () => Promise<JsMsg | undefined>;
  stop: () => void;
  restore: (failures: number, error: unknown) => Promise<void>;
};

const createSource = (options: ConsumerOptions): Source => {
  const { broker, durable, topology = declared, fetchTiming = DEFAULT_FETCH_TIMING, log } = options;
  let consumer: PullConsumer | undefined;
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
    stop: () => {
      isStopped = true;
      closeFetch();
    },
    next: async () => {
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
    restore: async (failures, error) => {
      if (!isMissing(error) || failures < MISSES_BEFORE_RESTORE) return;
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
    },
  };
};
