import { parseCheckpoint } from '@witan/proof/tlog/checkpoint';
import { consistencySubtrees, foldRight, isConsistent, subtreesOf } from '@witan/proof/tlog/merkle';
import { parseNote } from '@witan/proof/tlog/note';
import type { LogSigner } from './log-keys.ts';
import { readProof } from './read-tile.ts';
import type { TileSource } from './read-tile.ts';

/** A checkpoint as it is served. */
export type Published = { size: number; note: string; at: Date };

/** The log of `size` epochs as it is committed. */
export type LogHead = { size: number; root: Uint8Array };

export type PublicationStore = {
  /**
   * Returns the last committed epoch, none if the log is halted, and the last checkpoint.
   * `isCurrent` is true if that epoch is published under the policy.
   */
  load: (policyId: string) => Promise<{
    head: LogHead | undefined;
    published: Published | undefined;
    isCurrent: boolean;
  }>;
  /** Stores a checkpoint as published; resolves with false if a larger one is published. */
  save: (checkpoint: { size: number; note: string; policyId: string }) => Promise<boolean>;
};

/** Thrown if the log that is stored is not the one that was published. */
export class LogChangedError extends Error {}

type Deps = {
  store: PublicationStore;
  tiles: TileSource;
  signer: Pick<LogSigner, 'sign'>;
  origin: string;
  policyId: string;
};

/**
 * Signs the last committed epoch and publishes it; resolves with its size if it is new. Only rows
 * that are committed are signed, so a signature of a tree that was rolled back cannot exist, and
 * before it is signed the new head is shown to extend the published one. A kill at any time is
 * repaired by the next run: it signs the same text, and gets the same signature.
 */
export const publish = async (deps: Deps): Promise<number | undefined> => {
  const { head, published, isCurrent } = await deps.store.load(deps.policyId);
  if (!head || isCurrent) return undefined;
  await verifyHead(deps, head, published);
  const note = await deps.signer.sign({ origin: deps.origin, ...head });
  await deps.store.save({ size: head.size, note, policyId: deps.policyId });
  return head.size;
};

/**
 * Verifies that the tiles give the root of the head, and that it extends what was published. Throws
 * LogChangedError.
 */
export const verifyHead = async (
  { tiles }: Pick<Deps, 'tiles'>,
  { size, root }: LogHead,
  published: Published | undefined,
): Promise<void> => {
  const edge = await readProof(
    tiles,
    subtreesOf(0, size).map((one) => [one]),
    size,
  );
  if (!Buffer.from(foldRight(edge)).equals(root)) {
    throw new LogChangedError(`The tiles of the log of ${size} epochs do not give its root.`);
  }
  if (!published) return;
  const { size: oldSize, root: oldRoot } = parseCheckpoint(parseNote(published.note).text);
  const proof = await readProof(tiles, consistencySubtrees(oldSize, size), size);
  if (isConsistent({ oldSize, oldRoot, size, root, proof })) return;
  throw new LogChangedError(`The log of ${size} epochs does not extend the published ${oldSize}.`);
};
