import {
  buildMapInSlices,
  fillerEntry,
  headSalt,
  mapValue,
  treeHeadText,
} from '@witan/proof/tlog/map';
import type { MapEntry } from '@witan/proof/tlog/map';

/** The head of the tree of a workspace. */
export type TreeHead = {
  workspaceId: string;
  mapKey: Uint8Array;
  secret: Uint8Array;
  size: number;
  root: Uint8Array;
};

export type EpochMap = {
  root: Uint8Array;
  /** Siblings of the heads that were asked for, the leaf's first, by workspace. */
  paths: Map<string, Uint8Array>;
};

/** A map is filled up to this size, so that it does not tell how many workspaces there are. */
export const MAP_SIZE_MIN = 256;
/** Number of values that are computed without a pause, which takes 10 to 20 ms. */
const SLICE = 1_024;

export type MapContext = {
  origin: string;
  /** Secret of the log. */
  secret: Uint8Array;
  epoch: number;
};

/** Builds the map of an epoch, with the paths of the workspaces in `wanted`. Pauses in between. */
export const buildEpochMap = async (
  heads: readonly TreeHead[],
  { origin, secret, epoch }: MapContext,
  { wanted, pause }: { wanted: ReadonlySet<string>; pause: () => Promise<void> },
): Promise<EpochMap> => {
  const entries: MapEntry[] = [];
  for (const [i, head] of heads.entries()) {
    if (i % SLICE === SLICE - 1) await pause();
    const salt = headSalt(head.secret, epoch);
    const value = mapValue(salt, treeHeadText({ origin, ...head }));
    entries.push({ key: head.mapKey, value });
  }
  for (let i = 0; entries.length < MAP_SIZE_MIN; i += 1) {
    entries.push(fillerEntry(secret, i, epoch));
  }
  const positions = heads.flatMap(({ workspaceId }, i) => (wanted.has(workspaceId) ? [i] : []));
  const { root, paths } = await buildMapInSlices(entries, positions, pause);
  const byWorkspace = positions.map(
    (position, i) => [heads[position]!.workspaceId, Buffer.concat(paths[i]!)] as const,
  );
  return { root, paths: new Map(byWorkspace) };
};
