import { create, toBinary } from '@bufbuild/protobuf';
import { EVENT_TYPES } from '@witan/contracts';
import { openPublisher } from '@witan/testing';
import type { Publisher } from '@witan/testing';

/** What the fault run tells the emitter. */
export type ToEmitter =
  | { open: { databaseUrl: string; schema: string; natsUrl: string } }
  | { emit: { id: string; name: string; workspaceId: string } };

/** What it answers: `committed` follows the commit, `refused` says that there was none. */
export type FromEmitter = { opened: true } | { committed: string } | { refused: string };

const EVENT = 'simulation.tick.completed';

/** A service that publishes facts, as a process of its own: the fault run kills it. */
const main = (): void => {
  let publisher: Publisher | undefined;
  const tell = (message: FromEmitter): void => void process.send?.(message);
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
      tell({ committed: id });
    } catch {
      // Its database is away, as the run wants it: the caller counts the fact as not committed.
      tell({ refused: id });
    }
  };
  process.on('message', (message: ToEmitter) => {
    if ('emit' in message) void emit(message.emit);
    else {
      void openPublisher(message.open).then((opened) => {
        publisher = opened;
        tell({ opened: true });
      });
    }
  });
  process.on('disconnect', () => process.exit());
};

main();
