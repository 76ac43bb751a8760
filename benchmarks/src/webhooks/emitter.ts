// Runs a service that emits events with service-kit's outbox and relay. Arguments: SCHEMA
// DATABASE_URL NATS_URL.
import { setTimeout as pause } from 'node:timers/promises';
import {
  createLog,
  createNatsEvents,
  openBroker,
  openDatabase,
  outboxSql,
  startRelay,
  startService,
  workspaceScope,
  writeEvent,
} from '@witan/service-kit';
import type { Database, Host, Service, Broker } from '@witan/service-kit';
import { monotonicMs } from '../load/latency-summary.ts';
import { serveProgram } from '../program/serve-program.ts';
import { makeEvent, toEventSubject } from './make-event.ts';

/**
 * `write`: commits events, many per transaction, while the relay is disconnected from the broker.
 * `relay`: connects the relay; resolves when the broker has acknowledged `events`. `emit`: one
 * transaction per event, about `gapMs` apart, while the relay runs. `publish`: sends payloads
 * directly to the broker in batches of the relay's size. `write`, `emit` and `publish` use the
 * workspaces round-robin.
 */
export type EmitterCommand =
  | { kind: 'write'; events: number; workspaceIds: readonly string[] }
  | { kind: 'relay'; events: number }
  | { kind: 'emit'; events: number; workspaceIds: readonly string[]; gapMs: number }
  | { kind: 'publish'; events: number; workspaceIds: readonly string[] };

/**
 * `committedAtMs`: time of the commit's acknowledgement, on the clock of `monotonicMs`.
 */
export type EmittedEvent = { id: string; committedAtMs: number };

export type EmitterAnswer = {
  events: readonly EmittedEvent[];
  startedAtMs: number;
  elapsedMs: number;
  /** Number of messages in the JetStream stream of events. */
  stored: number;
};

/** A broker that `connect` and `disconnect` make available or unavailable to the relay. */
export type SwitchableBroker = { broker: Broker; connect: () => void; disconnect: () => void };

/**
 * Creates a broker that the relay sees as disconnected until `connect`, so that events can be
 * written before the measurement and published during it.
 */
export const createSwitchableBroker = (broker: Broker): SwitchableBroker => {
  const listeners = new Set<() => void>();
  let isEnabled = false;
  return {
    broker: {
      ...broker,
      isConnected: () => isEnabled && broker.isConnected(),
      onConnect: (listener) => {
        listeners.add(listener);
        const removeListener = broker.onConnect(() => {
          if (isEnabled) listener();
        });
        return () => {
          listeners.delete(listener);
          removeListener();
        };
      },
    },
    connect: () => {
      isEnabled = true;
      for (const listener of listeners) listener();
    },
    disconnect: () => {
      isEnabled = false;
    },
  };
};

type EmitterParts = {
  database: Database;
  switchableBroker: SwitchableBroker;
  countPublished: () => Promise<number>;
};

const [schema, databaseUrl, natsUrl] = process.argv.slice(2) as [string, string, string];
/**
 * Number of events per transaction of `write`. Transactions may be large, because `write` measures
 * no latency.
 */
const EVENTS_PER_TRANSACTION = 100;
/** Batch size of `publish`, equal to the relay's. */
const PUBLISH_BATCH_SIZE = 100;
const POLL_MS = 2;
const DRAIN_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 5_000;
const STREAM_INFO = '$JS.API.STREAM.INFO.EVENTS';
/** Random part of `gapMs`, so that commits are not in step with timers of relay and notifier. */
const JITTER = 0.4;

let parts: EmitterParts | undefined;

const create = async (_config: object, host: Host): Promise<Service> => {
  const { log, registry } = host;
  const database = await openDatabase({
    url: databaseUrl,
    schema,
    entities: [],
    migrations: [],
    log,
  });
  await database.pool.query(outboxSql());
  const broker = await openBroker({ url: natsUrl, name: schema, log });
  const switchableBroker = createSwitchableBroker(broker);
  const relay = startRelay({
    database,
    events: createNatsEvents({ broker: switchableBroker.broker }),
    source: schema,
    log,
    registry,
  });
  const countPublished = async (): Promise<number> => {
    const counted = await registry.getSingleMetric('outbox_published_total')!.get();
    return counted.values[0]?.value ?? 0;
  };
  parts = { database, switchableBroker, countPublished };
  return {
    implementations: [],
    checks: { database: database.check },
    stop: async () => {
      await relay.stop();
      await broker[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

const commitEvents = async (
  count: number,
  workspaceIds: readonly string[],
): Promise<EmittedEvent[]> => {
  const ids: string[] = [];
  const scope = workspaceScope(...new Set(workspaceIds));
  await parts!.database.scoped(scope, async (em) => {
    for (let index = 0; index < count; index += 1) {
      ids.push(await writeEvent(em, makeEvent(workspaceIds[index % workspaceIds.length]!)));
    }
  });
  const committedAtMs = monotonicMs();
  return ids.map((id) => ({ id, committedAtMs }));
};

const write = async (events: number, workspaceIds: readonly string[]): Promise<EmittedEvent[]> => {
  parts!.switchableBroker.disconnect();
  const written: EmittedEvent[] = [];
  while (written.length < events) {
    const count = Math.min(EVENTS_PER_TRANSACTION, events - written.length);
    written.push(...(await commitEvents(count, workspaceIds)));
  }
  return written;
};

const relay = async (events: number): Promise<EmittedEvent[]> => {
  const publishedTarget = (await parts!.countPublished()) + events;
  parts!.switchableBroker.connect();
  while ((await parts!.countPublished()) < publishedTarget) await pause(POLL_MS);
  return [];
};

const emit = async (order: EmitterCommand & { kind: 'emit' }): Promise<EmittedEvent[]> => {
  const { events, workspaceIds, gapMs } = order;
  parts!.switchableBroker.connect();
  const commits: Promise<EmittedEvent[]>[] = [];
  let dueAtMs = monotonicMs();
  for (let index = 0; index < events; index += 1) {
    dueAtMs += gapMs * (1 + JITTER * (Math.random() - 0.5));
    // If the loop is late, it commits all due events without a pause, which preserves the rate.
    const waitMs = dueAtMs - monotonicMs();
    if (waitMs > 0) await pause(waitMs);
    commits.push(commitEvents(1, [workspaceIds[index % workspaceIds.length]!]));
  }
  return (await Promise.all(commits)).flat();
};

const publish = async (
  events: number,
  workspaceIds: readonly string[],
): Promise<EmittedEvent[]> => {
  const payload = makeEvent(workspaceIds[0]!).payload;
  for (let sent = 0; sent < events; sent += PUBLISH_BATCH_SIZE) {
    const count = Math.min(PUBLISH_BATCH_SIZE, events - sent);
    const subjects = Array.from({ length: count }, (_, index) =>
      toEventSubject(workspaceIds[index % workspaceIds.length]!),
    );
    await parts!.switchableBroker.broker.use((connection) =>
      Promise.all(
        subjects.map((subject) =>
          connection.request(subject, payload, { timeout: REQUEST_TIMEOUT_MS }),
        ),
      ),
    );
  }
  return [];
};

const executeCommand = (order: EmitterCommand): Promise<EmittedEvent[]> => {
  if (order.kind === 'write') return write(order.events, order.workspaceIds);
  if (order.kind === 'relay') return relay(order.events);
  if (order.kind === 'emit') return emit(order);
  return publish(order.events, order.workspaceIds);
};

const answer = async (order: EmitterCommand): Promise<EmitterAnswer> => {
  const startedAtMs = monotonicMs();
  const events = await executeCommand(order);
  const elapsedMs = monotonicMs() - startedAtMs;
  const info = await parts!.switchableBroker.broker.use((connection) =>
    connection.request(STREAM_INFO, '', { timeout: REQUEST_TIMEOUT_MS }),
  );
  const stored = info.json<{ state: { messages: number } }>().state.messages;
  return { events, startedAtMs, elapsedMs, stored };
};

const running = await startService({
  name: schema,
  config: {},
  create,
  callGraph: {},
  log: createLog({ service: schema, level: 'info' }),
  connect: () => {
    throw new Error('The emitter calls no service.');
  },
  admin: { host: '127.0.0.1', port: 0 },
  drainMs: DRAIN_TIMEOUT_MS,
});
serveProgram({ ready: {}, answer, stop: running.stop });
