import { jetstream } from '@nats-io/jetstream';
import type { Consumer as PullConsumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { topology as declared } from '@witan/contracts/topology';
import type { Registry } from 'prom-client';
import type { Log } from '../log/create-log.ts';
import { createWakeSignal } from './wake-signal.ts';
import { BrokerAway } from './broker.ts';
import type { Broker } from './broker.ts';
import { createConsumerMetrics } from './consumer-metrics.ts';
import { EVENT_STREAM } from './event.ts';
import { handleMessage } from './handle-message.ts';
import type { Handling } from './handle-message.ts';
import { isMissing, restoreTopology } from './topology.ts';
import type { Topology } from './topology.ts';

/** Hands facts to a handler. */
export type Consumer = {
  /** Takes no further fact and waits for those that are being handled. */
  stop: () => Promise<void>;
};

export type ConsumerOptions = Handling & {
  broker: Broker;
  /** The consumer's name in the topology. */
  durable: string;
  log: Log;
  registry: Registry;
  /** Facts that are handled at the same time; 1 keeps their order as long as none fails. */
  lanes?: number;
  /** Of the streams and consumers that are put back when the broker lost them. */
  topology?: Topology;
  /** How long a wait for a fact may take, and how often the broker must say that it waits. */
  waiting?: { expiresMs: number; heartbeatMs: number };
};

const WAITING = { expiresMs: 30_000, heartbeatMs: 3_000 };
const AGAIN_MS = 250;
const AGAIN_MAX_MS = 10_000;
/** A connection that comes back rings at once. */
const AWAY_MS = 60_000;
/** The job that applies the topology may be about to. */
const MISSES_BEFORE_RESTORE = 2;

/**
 * Hands over every fact of the stream, at least once, until it is stopped. A broker that is away, a
 * consumer that was deleted and heartbeats that stay out are troubles to come back from.
 */
export const startConsumer = (options: ConsumerOptions): Consumer => {
  const lanes = Array.from({ length: options.lanes ?? 1 }, () => startLane(options));
  return {
    stop: async () => {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
};

/** One fact at a time: it is booked when the one before is settled. */
const startLane = (options: ConsumerOptions): Consumer => {
  const { broker, durable, log } = options;
  const stopping = new AbortController();
  const count = createConsumerMetrics(options.registry, durable);
  const parts = { ...options, count, stopping: stopping.signal };
  const bell = createWakeSignal();
  const source = createSource(options);
  const forget = broker.onConnect(bell.ring);
  let failures = 0;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const message = await source.next();
        failures = 0;
        if (message) await handleMessage(message, parts);
      } catch (err) {
        if (stopping.signal.aborted) break;
        if (err instanceof BrokerAway) {
          await bell.heard(AWAY_MS);
          continue;
        }
        failures += 1;
        if (failures === 1) log.warn({ err, durable }, 'no facts for the moment; will try again');
        await source.mend(failures, err);
        await bell.heard(Math.min(AGAIN_MS * 2 ** (failures - 1), AGAIN_MAX_MS));
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      forget();
      source.stop();
      bell.ring();
      await running;
    },
  };
};

type Source = {
  /** The next fact; undefined when there was none for a while, or it was stopped. */
  next: () => Promise<JsMsg | undefined>;
  /** Ends the wait for a fact. */
  stop: () => void;
  /** Puts back what is missing, once it has been missing for a while. Never rejects. */
  mend: (failures: number, error: unknown) => Promise<void>;
};

const createSource = (options: ConsumerOptions): Source => {
  const { broker, durable, topology = declared, waiting = WAITING, log } = options;
  let consumer: PullConsumer | undefined;
  let waitingFor: ConsumerMessages | undefined;
  let isStopped = false;
  const endWait = (): void => void waitingFor?.close();
  const take = async (): Promise<JsMsg | undefined> => {
    consumer ??= await broker.use((connection) =>
      jetstream(connection).consumers.get(EVENT_STREAM, durable),
    );
    const messages = await consumer.fetch({
      max_messages: 1,
      expires: waiting.expiresMs,
      idle_heartbeat: waiting.heartbeatMs,
    });
    waitingFor = messages;
    if (isStopped) endWait();
    let taken: JsMsg | undefined;
    // To its end, which comes at once: the client forgets only iterators that ended.
    for await (const message of messages) taken = message;
    return taken;
  };
  return {
    stop: () => {
      isStopped = true;
      endWait();
    },
    next: async () => {
      try {
        return await broker.use(take);
      } catch (error) {
        consumer = undefined;
        throw error;
      } finally {
        endWait();
        waitingFor = undefined;
      }
    },
    mend: async (failures, error) => {
      if (!isMissing(error) || failures < MISSES_BEFORE_RESTORE) return;
      try {
        const changes = await broker.use((connection) => restoreTopology(connection, topology));
        const added = changes.filter(({ change }) => change === 'added');
        log.warn({ durable, added: added.length }, 'put back what the broker had lost');
      } catch (err) {
        log.warn({ err, durable }, 'could not put back what the broker has lost');
      }
    },
  };
};
