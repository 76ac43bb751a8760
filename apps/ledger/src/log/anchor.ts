import { parseCheckpoint } from '@witan/proof/tlog/checkpoint';
import { parseNote, verifyNote } from '@witan/proof/tlog/note';
import type { LogSigner } from './log-keys.ts';
import type { LogHead, PublicationStore } from './publish.ts';

/** The last published checkpoint, stored apart from the database. */
export type Anchor = {
  /** Returns the signed note; undefined if there is none yet. */
  read: () => Promise<string | undefined>;
  write: (note: string) => Promise<void>;
};

export type HaltStore = {
  /** Returns the log as it was with a number of epochs; undefined if it has fewer. */
  findHead: (size: number) => Promise<LogHead | undefined>;
  /** Stops all replicas from writing and publishing epochs. */
  halt: (reason: string) => Promise<void>;
  /** Ends a halt with this reason. */
  resume: (reason: string) => Promise<void>;
};

/** Thrown if this log has published epochs that its database does not have. */
export class LogLostError extends Error {}

export const ANCHOR_AHEAD = 'anchor_ahead';

type Deps = { anchor: Anchor | undefined; store: HaltStore; signer: LogSigner; origin: string };

/**
 * Verifies that the database has the log that the anchor shows, and halts the log if it does not:
 * a backup was restored, or a replica was promoted that had not received everything. Going on would
 * show two histories. Throws LogLostError then. A halt ends when the anchor is found in the log.
 */
export const verifyAnchor = async (deps: Deps): Promise<void> => {
  const { anchor, store, signer, origin } = deps;
  const source = await anchor?.read();
  if (source === undefined) return;
  const note = parseNote(source);
  const { origin: name, size, root } = parseCheckpoint(note.text);
  if (name !== origin || verifyNote(note, signer.keys).length === 0) {
    throw new Error(`The anchor file is of the log ${name}, or not signed by a key of this one.`);
  }
  const head = await store.findHead(size);
  if (head && Buffer.from(head.root).equals(root)) {
    await store.resume(ANCHOR_AHEAD);
    return;
  }
  await store.halt(ANCHOR_AHEAD);
  const found = head ? 'another one' : 'fewer epochs';
  throw new LogLostError(
    `The log was published with ${size} epochs, and the database has ${found}. Restore the ` +
      'database that has them, or adopt them from a mirror (witan log adopt; ' +
      'docs/transparency.md).',
  );
};

/**
 * Returns the store that also writes each published checkpoint to the anchor, unless the anchor has
 * a larger one: another replica published that, or the database has just been restored.
 */
export const anchored = (
  store: PublicationStore,
  anchor: Anchor | undefined,
): PublicationStore => ({
  ...store,
  save: async (checkpoint) => {
    const isNewest = await store.save(checkpoint);
    if (!anchor || !isNewest) return isNewest;
    const source = await anchor.read();
    const anchoredSize = source === undefined ? 0 : parseCheckpoint(parseNote(source).text).size;
    if (checkpoint.size >= anchoredSize) await anchor.write(checkpoint.note);
    return isNewest;
  },
});
