import { ProofError, verifyBundle } from '@witan/proof';
import { formatBundle } from '@witan/proof/tlog/bundle';
import type { BundleKey } from '@witan/proof/tlog/bundle';
import { headSalt, treeOriginOf } from '@witan/proof/tlog/map';
import { inclusionSubtrees } from '@witan/proof/tlog/merkle';
import { formatTlogProof } from '@witan/proof/tlog/tlog-proof';
import type { SignedCertificate } from '../chain/sign-certificates.ts';
import type { LogSigner } from './log-keys.ts';
import type { LogPolicy } from './log-policy.ts';
import { readProof } from './read-tile.ts';
import type { TileSource } from './read-tile.ts';
import type { TreeHead } from './epoch-map.ts';

/** The head of a tree in the epoch that it was committed to. */
export type CommittedHead = TreeHead & { epoch: number; path: Uint8Array };

export type BundleReader = {
  findCertificate: (workspaceId: string, id: string) => Promise<SignedCertificate | undefined>;
  /** Returns the first head of a tree that has the certificate at an index. */
  findHead: (workspaceId: string, index: number) => Promise<CommittedHead | undefined>;
  /** Returns the first checkpoint under a policy that has an epoch, and the keys of the epoch. */
  findCheckpoint: (
    policyId: string,
    epoch: number,
  ) => Promise<{ size: number; note: string; keys: BundleKey[] } | undefined>;
  treeTiles: (workspaceId: string) => TileSource;
};

type Deps = {
  reader: BundleReader;
  logTiles: TileSource;
  signer: LogSigner;
  origin: string;
  policy: LogPolicy;
};

/** Thrown if the stored log does not prove a certificate that it should have. */
export class BrokenBundleError extends Error {}

export type BundleState =
  | { state: 'unknown' }
  /** The certificate is not in a published epoch yet. */
  | { state: 'pending' }
  | { state: 'ready'; bundle: string };

/**
 * Returns the bundle of a certificate, of the first epoch and the first checkpoint that have it, so
 * that it never changes under one policy. It is verified before it is returned; throws
 * BrokenBundleError if that fails.
 */
export const buildBundle = async (
  deps: Deps,
  workspaceId: string,
  proofId: string,
): Promise<BundleState> => {
  const { reader, policy } = deps;
  const certificate = await reader.findCertificate(workspaceId, proofId);
  if (!certificate) return { state: 'unknown' };
  const head = await reader.findHead(workspaceId, certificate.chainIndex);
  const checkpoint = head && (await reader.findCheckpoint(policy.id, head.epoch));
  if (!checkpoint) return { state: 'pending' };
  const { payload, payloadHash, signature } = certificate;
  const bundle = formatBundle({
    certificate: { payload, payload_hash: payloadHash, signature, algorithm: 'Ed25519' },
    workspaceId,
    tree: await proveInTree(deps, head, certificate.chainIndex),
    map: {
      salt: toBase64(headSalt(head.secret, head.epoch)),
      path: toBase64(head.path),
    },
    log: await proveInLog(deps, head.epoch, checkpoint),
    keys: checkpoint.keys,
  });
  try {
    verifyBundle(bundle, policy.policy);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    const message = `The bundle of ${proofId} would be invalid: ${error.message}`;
    throw new BrokenBundleError(message, { cause: error });
  }
  return { state: 'ready', bundle };
};

const proveInTree = async (
  { reader, signer, origin }: Deps,
  head: CommittedHead,
  index: number,
): Promise<string> => {
  const { workspaceId, mapKey, size } = head;
  const tiles = reader.treeTiles(workspaceId);
  return formatTlogProof({
    index,
    hashes: await readProof(tiles, inclusionSubtrees(index, size), size),
    checkpoint: await signHead(signer, origin, { ...head, mapKey }),
  });
};

/** Resolves with the signed head of a tree. */
export const signHead = (
  signer: LogSigner,
  origin: string,
  { mapKey, size, root }: Pick<TreeHead, 'mapKey' | 'size' | 'root'>,
): Promise<string> => signer.sign({ origin: treeOriginOf(origin, mapKey), size, root });

const proveInLog = async (
  { logTiles }: Deps,
  epoch: number,
  { size, note }: { size: number; note: string },
): Promise<string> =>
  formatTlogProof({
    index: epoch,
    hashes: await readProof(logTiles, inclusionSubtrees(epoch, size), size),
    checkpoint: note,
  });

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
