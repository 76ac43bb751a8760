import { decodeBase64, encodeBase64, equalBytes } from '../bytes.ts';
import type { CertificatePayload } from '../certificate.ts';
import { ProofError } from '../errors.ts';
import { keysInForce, parseKeyList } from '../keys.ts';
import { outcomeOf, verifyPayloadHash, verifySignature } from '../verify-certificate.ts';
import type { CheckOutcome } from '../verify-certificate.ts';
import { epochEntry, mapPathOf, parseBundle, treeEntry } from './bundle.ts';
import type { Bundle, BundleKey } from './bundle.ts';
import { parseCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint.ts';
import { mapKeyOf, mapValue, rootOfMapEntry, treeOriginOf } from './map.ts';
import { leafHash, rootOfInclusion } from './merkle.ts';
import { createNoteKey, parseNote, verifyNote } from './note.ts';
import type { Note, NoteKey, VerifiedSignature } from './note.ts';
import { quorumTime } from './policy.ts';
import type { Policy, Quorum } from './policy.ts';
import { parseTlogProof } from './tlog-proof.ts';
import type { TlogProof } from './tlog-proof.ts';

export type BundleOptions = {
  /** The longest time, in milliseconds, from `issuedAt` to when the quorum had cosigned. */
  withinMs?: number;
};

export type VerifiedBundle = {
  payload: CertificatePayload;
  /** The key that signed the certificate. */
  keyId: string;
  workspaceId: string;
  /** Origin of the log, number of the epoch, and number of epochs of the checkpoint. */
  log: string;
  epoch: number;
  logSize: number;
  /** Base64 root of the log, and number of certificates and base64 root of the workspace's tree. */
  logRoot: string;
  treeSize: number;
  treeRoot: string;
  /**
   * The time at which the quorum had cosigned; undefined if the policy needs no witnesses: then the
   * log is not witnessed, and its operator could show another one to others.
   */
  witnessedAt: string | undefined;
  /** Witnesses of the policy that cosigned, and when. */
  witnesses: { name: string; time: string }[];
  /** The certificate keys that the epoch commits to. */
  keys: readonly BundleKey[];
};

/** Tolerance for the clock of the issuer being ahead of those of the witnesses. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The checks of a bundle, in the order in which they are made. */
export const BUNDLE_CHECKS = [
  'form',
  'certificate',
  'known log',
  'tree',
  'epoch',
  'witnesses',
  'time',
] as const;

export type BundleCheck = (typeof BUNDLE_CHECKS)[number];

export type BundleChecks = {
  /** The checks made, in order; the first that fails is the last. */
  checks: { name: BundleCheck; outcome: CheckOutcome }[];
  /** Present if all checks passed. */
  verified?: VerifiedBundle;
  /** Present if the form is valid; to be trusted only if all checks passed. */
  payload?: CertificatePayload;
};

/**
 * Verifies a bundle under a policy, which is all that has to be trusted. Makes no network request.
 * Throws ProofError with the reason of the first check that fails, in the order of
 * {@link BUNDLE_CHECKS}.
 */
export function verifyBundle(
  source: string | Uint8Array,
  policy: Policy,
  options: BundleOptions = {},
): VerifiedBundle {
  const { verified, checks } = checkBundle(source, policy, options);
  const last = checks.at(-1)!.outcome;
  if (!last.ok) throw last.error;
  return verified!;
}

/** Makes the same checks as {@link verifyBundle}, but returns the outcome of each. */
export function checkBundle(
  source: string | Uint8Array,
  policy: Policy,
  options: BundleOptions = {},
): BundleChecks {
  const result: BundleChecks = { checks: [] };
  for (const [name, check] of stepsOf(source, policy, { options, result })) {
    const outcome = outcomeOf(check);
    result.checks.push({ name, outcome });
    if (!outcome.ok) break;
  }
  return result;
}

type Step = [name: BundleCheck, check: () => void];
type Parsed = ReturnType<typeof parseParts>;

function stepsOf(
  source: string | Uint8Array,
  policy: Policy,
  { options, result }: { options: BundleOptions; result: BundleChecks },
): Step[] {
  let parsed: Parsed;
  let keyId: string;
  let logKeys: NoteKey[];
  let treeHead: TreeHead;
  let checkpoint: VerifiedCheckpoint;
  return [
    [
      'form',
      () => {
        parsed = parseParts(source);
        result.payload = parsed.bundle.certificate.payload;
      },
    ],
    ['certificate', () => void (keyId = verifyCertificateOf(parsed.bundle))],
    ['known log', () => void (logKeys = logKeysOf(policy, parsed.log.head.origin))],
    ['tree', () => void (treeHead = verifyTree(parsed, logKeys))],
    ['epoch', () => verifyEpoch(parsed, treeHead)],
    ['witnesses', () => void (checkpoint = verifyCheckpoint(parsed.log.note, logKeys, policy))],
    [
      'time',
      () => {
        const { time, signatures } = checkpoint;
        const witnessedAt = verifyTime(parsed.bundle, { options, time });
        result.verified = toVerified(parsed, { keyId, witnessedAt, signatures, policy });
      },
    ],
  ];
}

type ProofPart = { proof: TlogProof; note: Note; head: Checkpoint };

function parseParts(source: string | Uint8Array) {
  const bundle = parseBundle(source);
  return { bundle, tree: parsePart(bundle.tree), log: parsePart(bundle.log) };
}

function parsePart(text: string): ProofPart {
  const proof = parseTlogProof(text);
  if (proof.extra !== undefined) throw new ProofError('note', 'a proof of a bundle has extra data');
  const note = parseNote(proof.checkpoint);
  return { proof, note, head: parseCheckpoint(note.text) };
}

/** Limits the time of the check: each key in force takes some milliseconds. */
const MAX_KEYS_IN_FORCE = 16;

/** Parses only the keys that may have signed, because the epoch has not confirmed the list yet. */
function verifyCertificateOf({ certificate, keys }: Bundle): string {
  verifyPayloadHash(certificate);
  const inForce = keysInForce(keys, certificate.payload.issuedAt);
  if (inForce.length > MAX_KEYS_IN_FORCE) {
    const detail = `${inForce.length} keys were in force, which is more than ${MAX_KEYS_IN_FORCE}`;
    throw new ProofError('public_key', detail);
  }
  return verifySignature(certificate, inForce.length === 0 ? [] : parseKeyList(inForce));
}

function logKeysOf({ logs }: Policy, origin: string): NoteKey[] {
  const keys = logs.map(({ key }) => key).filter(({ name }) => name === origin);
  if (keys.length === 0) throw new ProofError('unknown_log', `the policy has no log ${origin}`);
  return keys;
}

type TreeHead = { mapKey: Uint8Array; text: string };

function verifyTree({ bundle, tree, log }: Parsed, logKeys: readonly NoteKey[]): TreeHead {
  const { certificate, workspaceId } = bundle;
  const { issuer, chainIndex } = certificate.payload;
  const { index, hashes: proof } = tree.proof;
  if (index !== chainIndex) {
    throw new ProofError('tree', `the proof is of index ${index}, not of chainIndex ${chainIndex}`);
  }
  const { size, root } = tree.head;
  const leaf = leafHash(treeEntry(certificate));
  const actual = rootOfInclusion({ index, size, leaf, proof });
  if (actual === undefined || !equalBytes(actual, root)) {
    throw new ProofError('tree', `the proof does not lead to the root of the ${size} certificates`);
  }
  const mapKey = mapKeyOf(issuer, workspaceId);
  const name = treeOriginOf(log.head.origin, mapKey);
  if (tree.head.origin !== name) {
    throw new ProofError('tree_head', `the tree is not that of ${workspaceId} of ${issuer}`);
  }
  // The log signs the heads of trees with its own keys, under their names.
  const treeKeys = logKeys.map(({ type, key }) => createNoteKey({ name, type, key }));
  if (verifyNote(tree.note, treeKeys).length === 0) {
    throw new ProofError('tree_head', 'the tree head has no signature of the log');
  }
  return { mapKey, text: tree.note.text };
}

function verifyEpoch({ bundle, log }: Parsed, { mapKey, text }: TreeHead): void {
  const value = mapValue(decodeBase64(bundle.map.salt)!, text);
  const mapRoot = rootOfMapEntry({ key: mapKey, value }, mapPathOf(bundle.map.path));
  const leaf = leafHash(epochEntry(mapRoot, bundle.keys));
  const { index, hashes: proof } = log.proof;
  const actual = rootOfInclusion({ index, size: log.head.size, leaf, proof });
  if (actual === undefined || !equalBytes(actual, log.head.root)) {
    throw new ProofError('epoch', `the proof of epoch ${index} does not lead to the root`);
  }
}

export type VerifiedCheckpoint = Checkpoint & {
  signatures: VerifiedSignature[];
  /** The time of the quorum in seconds since 1970; undefined if no witness is needed. */
  time: number | undefined;
};

/**
 * Verifies a signed checkpoint: by one of the keys, and by the witnesses that the policy needs.
 * Throws ProofError `note`, `checkpoint` and `quorum`.
 */
export function verifyCheckpoint(
  note: Note,
  logKeys: readonly NoteKey[],
  policy: Policy,
): VerifiedCheckpoint {
  const witnesses = policy.witnesses.map(({ key }) => key);
  const signatures = verifyNote(note, [...logKeys, ...witnesses]);
  if (!signatures.some(({ key }) => logKeys.includes(key))) {
    throw new ProofError('checkpoint', 'the checkpoint has no signature of the log');
  }
  const time = quorumTime(policy.quorum, signatures);
  if (policy.quorum.kind !== 'none' && time === undefined) {
    const found = signatures.filter(({ key }) => witnesses.includes(key)).length;
    throw new ProofError('quorum', `${found} cosignatures do not satisfy the quorum of the policy`);
  }
  return { ...parseCheckpoint(note.text), signatures, time };
}

/** Verifies a checkpoint by the logs of the policy. Throws also ProofError `unknown_log`. */
export function verifyCheckpointText(source: string, policy: Policy): VerifiedCheckpoint {
  const note = parseNote(source);
  return verifyCheckpoint(note, logKeysOf(policy, parseCheckpoint(note.text).origin), policy);
}

function verifyTime(
  { certificate }: Bundle,
  { options, time }: { options: BundleOptions; time: number | undefined },
): string | undefined {
  const { withinMs } = options;
  const { issuedAt } = certificate.payload;
  if (time === undefined) {
    if (withinMs === undefined) return undefined;
    throw new ProofError('witnessed_late', 'the policy needs no witness, so no time is witnessed');
  }
  const witnessedAt = toInstant(time);
  const delayMs = time * 1000 - Date.parse(issuedAt);
  if (delayMs < -CLOCK_TOLERANCE_MS) {
    throw new ProofError('issued_later', `issued at ${issuedAt}, but witnessed at ${witnessedAt}`);
  }
  if (withinMs !== undefined && delayMs > withinMs) {
    throw new ProofError('witnessed_late', `issued at ${issuedAt}, witnessed at ${witnessedAt}`);
  }
  return witnessedAt;
}

/** Returns the instant of a verified cosignature, whose time Date can represent. */
export const toInstant = (seconds: number): string => new Date(seconds * 1000).toISOString();

function toVerified(
  { bundle, tree, log }: Parsed,
  found: {
    keyId: string;
    witnessedAt: string | undefined;
    signatures: readonly VerifiedSignature[];
    policy: Policy;
  },
): VerifiedBundle {
  const { keyId, witnessedAt, signatures, policy } = found;
  const witnesses = policy.witnesses.flatMap(({ name, key }) => {
    const time = signatures.find((signature) => signature.key === key)?.time;
    return time === undefined ? [] : [{ name, time: toInstant(time) }];
  });
  return {
    payload: bundle.certificate.payload,
    keyId,
    workspaceId: bundle.workspaceId,
    log: log.head.origin,
    epoch: log.proof.index,
    logSize: log.head.size,
    logRoot: encodeBase64(log.head.root),
    treeSize: tree.head.size,
    treeRoot: encodeBase64(tree.head.root),
    witnessedAt,
    witnesses,
    keys: bundle.keys,
  };
}

/** Returns a quorum as a text for display, such as `2 of 3 witnesses`. */
export function describeQuorum(quorum: Quorum): string {
  if (quorum.kind === 'none') return 'not witnessed';
  if (quorum.kind === 'witness') return `witness ${quorum.name}`;
  return `${quorum.threshold} of ${quorum.members.length} witnesses`;
}
