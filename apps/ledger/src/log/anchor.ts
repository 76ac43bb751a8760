import { ProofError } from '@witan/proof';
import { parseCheckpoint } from '@witan/proof/tlog/checkpoint';
import { parseNote, verifyNote } from '@witan/proof/tlog/note';
import type { NoteKey } from '@witan/proof/tlog/note';
import type { LogSigner } from './log-keys.ts';
import type { LogHead } from './publish.ts';

/** The largest checkpoint that this log has signed, stored apart from the database. */
export type Anchor = {
  /** Returns the signed note; undefined if there is none yet. */
  read: () => Promise<string | undefined>;
  /** Resolves when the note is durable. */
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

/** Thrown if this log has signed epochs that its database does not have. */
export class LogLostError extends Error {}

export const ANCHOR_AHEAD = 'anchor_ahead';

type Deps = {
  anchor: Anchor | undefined;
  store: HaltStore;
  /** All keys that the log ever had: the last checkpoint may be signed by an earlier one. */
  keys: readonly NoteKey[];
  origin: string;
};

/**
 * Verifies that the database has the log that the anchor shows, and halts the log if it does not:
 * a backup was restored, or a replica was promoted that had not received everything. Going on would
 * show two histories. Throws LogLostError then. A halt ends when the anchor is found in the log.
 */
export const verifyAnchor = async (deps: Deps): Promise<void> => {
  const { anchor, store, keys, origin } = deps;
  const source = await anchor?.read();
  if (source === undefined) return;
  const { note, checkpoint } = parseAnchor(source);
  const { origin: name, size, root } = checkpoint;
  if (name !== origin || verifyNote(note, keys).length === 0) {
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
    `The log was signed with ${size} epochs, and the database has ${found}. Restore the ` +
      'database that has them, or adopt them from a mirror (witan log adopt; ' +
      'docs/transparency.md).',
  );
};

const parseAnchor = (source: string) => {
  try {
    const note = parseNote(source);
    return { note, checkpoint: parseCheckpoint(note.text) };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new Error(
      `The anchor file is not a signed checkpoint (${error.detail}). Restore it from a copy, or ` +
        'put the last checkpoint that a mirror or a witness has into it.',
      { cause: error },
    );
  }
};

/**
 * Returns the signer whose signed checkpoints are in the anchor before they are anywhere else, so
 * that no other checkpoint of that size can be signed after the database was restored. The anchor
 * never gets smaller; `exclusively` runs one update of all replicas at a time.
 */
export const createAnchoredSigner = (
  signer: LogSigner,
  anchor: Anchor | undefined,
  exclusively: <T>(work: () => Promise<T>) => Promise<T>,
): Pick<LogSigner, 'sign'> => {
  if (!anchor) return signer;
  return {
    sign: async (checkpoint) => {
      const note = await signer.sign(checkpoint);
      await exclusively(async () => {
        const source = await anchor.read();
        const anchored = source === undefined ? 0 : parseAnchor(source).checkpoint.size;
        if (checkpoint.size > anchored) await anchor.write(note);
      });
      return note;
    },
  };
};
