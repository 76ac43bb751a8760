import { generateKeyPairSync, sign } from 'node:crypto';
import { NEW_KEY, OLD_KEY, WORKSPACE_ID, ISSUER } from '../vectors/samples.ts';
import type { Certificate } from '../src/certificate.ts';
import { canonicalJson } from '../src/commitment.ts';
import { epochEntry, formatBundle, treeEntry } from '../src/tlog/bundle.ts';
import { formatCheckpoint } from '../src/tlog/checkpoint.ts';
import { buildMap, mapKeyOf, mapValue, treeOriginOf } from '../src/tlog/map.ts';
import {
  appendLeaf,
  edgeRoot,
  foldRight,
  inclusionSubtrees,
  leafHash,
} from '../src/tlog/merkle.ts';
import { createNoteKey, formatSignatureLine } from '../src/tlog/note.ts';
import { formatPolicy } from '../src/tlog/policy.ts';
import { foldComplete } from '../src/tlog/tile.ts';
import { formatTlogProof } from '../src/tlog/tlog-proof.ts';

const ORIGIN = 'log.test/bundle';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const raw = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));

const keyOf = (name: string) => createNoteKey({ name, type: 1, key: raw });

/** A policy that trusts the log of {@link makeBundle}, without witnesses. */
export const BUNDLE_POLICY = formatPolicy({ logs: [keyOf(ORIGIN)], witnesses: [], threshold: 0 });

/** Returns the bundle of one of the certificates of a tree, in a log of one epoch. */
export function makeBundle(certificates: readonly Certificate[], index: number): string {
  const leaves = certificates.map((one) => leafHash(treeEntry(one)));
  const size = leaves.length;
  const mapKey = mapKeyOf(ISSUER, WORKSPACE_ID);
  const head = { origin: treeOriginOf(ORIGIN, mapKey), size, root: rootOf(leaves) };
  const salt = new Uint8Array(32);
  const entry = { key: mapKey, value: mapValue(salt, formatCheckpoint(head)) };
  const keys = [NEW_KEY.row, OLD_KEY.row];
  const epoch = leafHash(epochEntry(buildMap([entry], []).root, keys));
  const { payload, ...certificate } = certificates[index]!;
  return formatBundle({
    certificate: { ...certificate, payload: canonicalJson(payload) },
    workspaceId: WORKSPACE_ID,
    tree: formatTlogProof({
      index,
      hashes: inclusionSubtrees(index, size).map((subtrees) =>
        foldRight(
          subtrees.map(({ level, n }) =>
            foldComplete(leaves.slice(n * 2 ** level, (n + 1) * 2 ** level)),
          ),
        ),
      ),
      checkpoint: signed(head),
    }),
    map: { salt: Buffer.from(salt).toString('base64'), path: '' },
    log: formatTlogProof({
      index: 0,
      hashes: [],
      checkpoint: signed({ origin: ORIGIN, size: 1, root: epoch }),
    }),
    keys,
  });
}

function signed(checkpoint: { origin: string; size: number; root: Uint8Array }): string {
  const text = formatCheckpoint(checkpoint);
  const signature = new Uint8Array(sign(null, Buffer.from(text), privateKey));
  return `${text}\n${formatSignatureLine(keyOf(checkpoint.origin), signature)}\n`;
}

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  const edge: Uint8Array[] = [];
  for (const [i, leaf] of leaves.entries()) appendLeaf(edge, i, leaf);
  return edgeRoot(edge);
}
