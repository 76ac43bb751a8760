import { create, toBinary } from '@bufbuild/protobuf';
import { EVENT_TYPES } from '@witan/contracts';
import { openPublisher } from '@witan/testing';
import type { Publisher } from '@witan/testing';

/** The outbox of the emitter. Without `natsUrl`, a service of the system relays its events. */
export type EmitterOutbox = { databaseUrl: string; schema: string; natsUrl: string | undefined };

/** Messages from the fault run to the emitter. */
export type ToEmitter =
  | { open: EmitterOutbox }
  | { emit: { id: string; name: string; workspaceId: string } };

/**
 * Replies of the emitter: `opened` once it can publish, `committed` after the commit of an event,
 * `refused` if publishing it failed.
 */
export type FromEmitter = { opened: true } | { committed: string } | { refused: string };

const EVENT = 'simulation.tick.completed';
const OPEN_LIMIT_MS = 15_000;

/** Runs an emitter of events in its own process, which the fault run can kill. */
const main = (): void => {
  let publisher: Publisher | undefined;
  const send = (message: FromEmitter): void => void process.send?.(message);
  const emit = async ({
    id,
    name,
    workspaceId,
  }: {
    id: string;
    name: string;
    workspaceId: string;
  }) => {
    const message = create(EVENT_TYPES[EVENT], { simulationId: name, turn: 1, stateCount: 1 });
    const payload = toBinary(EVENT_TYPES[EVENT], message);
    try {
      await publisher!.publish({ id, workspaceId, type: EVENT, occurredAt: new Date(), payload });
      send({ committed: id });
    } catch {
      // The fault run may have killed the database; it must not expect this event to be delivered.
      send({ refused: id });
    }
  };
  process.on('message', (message: ToEmitter) => {
    if ('emit' in message) void emit(message.emit);
    else {
      // If the database is struck meanwhile, the process ends and is started again.
      const limit = setTimeout(() => process.exit(1), OPEN_LIMIT_MS);
      void openPublisher(message.open).then((opened) => {
        clearTimeout(limit);
        publisher = opened;
        send({ opened: true });
      });
    }
  });
  process.on('disconnect', () => process.exit());
};

main();
