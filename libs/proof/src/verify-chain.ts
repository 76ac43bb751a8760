import { parseCertificate } from './certificate.ts';
import type { Certificate } from './certificate.ts';
import { ProofError } from './errors.ts';
import { checkKeyRows, parseKeyList } from './keys.ts';
import type { PublicKeys } from './keys.ts';
import { closedObject, hash, name } from './shape.ts';
import { parseStrictJson } from './strict-json.ts';
import { verifyPayloadHash, verifySignature, verifySignatureInPool } from './verify-certificate.ts';
import { encodeBase64, sha256Hex } from './bytes.ts';
import { treeEntry } from './tlog/bundle.ts';
import { appendLeaf, edgeRoot, leafHash } from './tlog/merkle.ts';
import type { VerifiedBundle } from './tlog/verify-bundle.ts';

/**
 * What the verifier knows from outside the export. An export proves that no certificate is missing
 * in its middle, but not that none was removed at its end; to detect that, the verifier needs a
 * head or a count that was noted earlier.
 */
export type ChainOptions = {
  /**
   * The issuer's keys from a trusted source. Without them the keys in the chain's header are used,
   * which shows only that the export is consistent, not who signed it.
   */
  keys?: PublicKeys;
  expectedHead?: string;
  expectedCount?: number;
  /**
   * The tree of a verified bundle: the chain must be of this workspace and its first `treeSize`
   * certificates must be the ones that the log has.
   */
  expectedTree?: Pick<VerifiedBundle, 'workspaceId' | 'treeSize' | 'treeRoot'>;
};

export type VerifiedChain = {
  workspaceId: string;
  issuer: string;
  count: number;
  head: string | undefined;
  keySource: 'given' | 'header';
};

/** Verifies a chain one certificate at a time, with two of them and all ids in memory. */
export type ChainVerifier = {
  add(certificate: unknown): void;
  end(): VerifiedChain;
};

const headerShape = closedObject({
  workspaceId: name,
  issuer: name,
  genesis: hash,
  keys: (value) => value,
});
const firstLineShape = closedObject({ chain: headerShape });
const documentShape = closedObject({ chain: headerShape, proofs: asArray });

/**
 * Verifies an export in NDJSON: the line `{"chain": {workspaceId, issuer, genesis, keys}}`, then
 * one certificate a line, in order. Lines of white space only are skipped. Throws ProofError
 * `chain_header`, `public_key` or `genesis` for an invalid header, `truncated`, or any reason of
 * `verifyCertificate` and `verifyLink`, or `duplicate_id`, with the position of the first invalid
 * certificate as `index`.
 */
export async function verifyChain(
  lines: AsyncIterable<string> | Iterable<string>,
  options: ChainOptions = {},
): Promise<VerifiedChain> {
  let verifier: ChainVerifier | undefined;
  // In the order of the chain; each resolves to the signature's failure, or to undefined.
  const pending: Promise<unknown>[] = [];
  const settle = async (pendingMax: number): Promise<void> => {
    while (pending.length > pendingMax) {
      const error = await pending.shift();
      if (error === undefined) continue;
      pending.length = 0;
      throw error;
    }
  };
  const verifyLater: SignatureCheck = (certificate, keys, index) => {
    const verified = verifySignatureInPool(certificate, keys).then(() => undefined);
    pending.push(verified.catch((error: unknown) => withIndex(error, index)));
  };
  try {
    for await (const line of lines) {
      if (isBlank(line)) continue;
      if (verifier !== undefined) verifier.add(line);
      else verifier = createVerifier(parseFirstLine(line), options, verifyLater);
      await settle(MAX_PENDING_SIGNATURES);
    }
  } catch (error) {
    // A signature that comes before the failure is reported first.
    await settle(0);
    throw error;
  }
  await settle(0);
  if (verifier === undefined) throw new ProofError('chain_header', 'the export is empty');
  return verifier.end();
}

/** Number of signatures that may be pending while further certificates are read. */
const MAX_PENDING_SIGNATURES = 64;

/** Verifies an export that is one JSON document, `{chain, proofs}`. Throws like `verifyChain`. */
export function verifyChainDocument(source: string, options: ChainOptions = {}): VerifiedChain {
  const { chain, proofs } = withHeaderReason(() =>
    documentShape(parseStrictJson(source), 'export'),
  );
  const verifier = createChainVerifier(chain, options);
  for (const proof of proofs) verifier.add(proof);
  return verifier.end();
}

/**
 * Creates a verifier for the chain that `header` describes (`{workspaceId, issuer, genesis,
 * keys}`). Throws ProofError `chain_header`, `genesis` and `public_key`.
 */
export function createChainVerifier(header: unknown, options: ChainOptions = {}): ChainVerifier {
  return createVerifier(header, options, verifySignature);
}

/** Verifies a signature, or throws later than it returns. */
type SignatureCheck = (certificate: Certificate, keys: PublicKeys, index: number) => void;

function createVerifier(
  header: unknown,
  options: ChainOptions,
  checkSignature: SignatureCheck,
): ChainVerifier {
  const { workspaceId, issuer, genesis, keys } = withHeaderReason(() =>
    headerShape(header, 'chain'),
  );
  if (genesis !== genesisHash(issuer, workspaceId)) {
    throw new ProofError('genesis', `genesis is not that of ${issuer} and ${workspaceId}`);
  }
  const rows = checkKeyRows(keys);
  const trustedKeys = options.keys ?? parseKeyList(rows);
  const ids = createIdCheck();
  const tree = createTreeCheck(options.expectedTree, workspaceId);
  let previous: Certificate | undefined;
  let count = 0;
  let hasSeenHead = options.expectedHead === undefined;
  return {
    add(source) {
      const certificate = verifyAt(count, source, (parsed) => {
        checkSignature(parsed, trustedKeys, count);
      });
      verifyLink(previous, certificate, { issuer, genesis });
      ids.add(certificate.payload.id, count);
      tree.add(certificate, count);
      hasSeenHead ||= certificate.payload_hash === options.expectedHead;
      previous = certificate;
      count += 1;
    },
    end() {
      const expectedCount = options.expectedCount ?? 0;
      if (count < expectedCount)
        throw truncated(`${count} certificates of at least ${expectedCount}`, count);
      tree.end(count);
      if (!hasSeenHead) throw truncated(`no certificate with hash ${options.expectedHead}`, count);
      const keySource = options.keys === undefined ? 'header' : 'given';
      return { workspaceId, issuer, count, head: previous?.payload_hash, keySource };
    },
  };
}

/** Maximum number of members of a Set in V8. */
const MAX_SET_SIZE = 2 ** 24 - 1;

/** Throws ProofError `duplicate_id` for an id that was added before. */
function createIdCheck() {
  const sets = [new Set<string>()];
  return {
    add(id: string, index: number): void {
      if (sets.some((set) => set.has(id))) {
        throw new ProofError('duplicate_id', `${id} comes a second time`, { index });
      }
      if (sets.at(-1)!.size === MAX_SET_SIZE) sets.push(new Set());
      sets.at(-1)!.add(id);
    },
  };
}

/** Compares the first certificates of a chain with the tree that a log has of its workspace. */
function createTreeCheck(expected: ChainOptions['expectedTree'], workspaceId: string) {
  if (expected !== undefined && expected.workspaceId !== workspaceId) {
    const detail = `the bundle is of ${expected.workspaceId}, the chain of ${workspaceId}`;
    throw new ProofError('tree', detail);
  }
  const size = expected?.treeSize ?? 0;
  const edge: Uint8Array[] = [];
  return {
    add(certificate: Certificate, index: number): void {
      if (index >= size) return;
      appendLeaf(edge, index, leafHash(treeEntry(certificate)));
      if (index + 1 < size || encodeBase64(edgeRoot(edge)) === expected?.treeRoot) return;
      throw new ProofError('tree', `the first ${size} certificates are not those of the log`);
    },
    end(count: number): void {
      if (count < size) throw truncated(`${count} certificates of the ${size} in the log`, count);
    },
  };
}

export function isChainHeaderLine(line: string): boolean {
  try {
    parseFirstLine(line);
    return true;
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}

/** Returns whether a line has white space of JSON only. */
export function isBlank(line: string): boolean {
  return /^[ \t\r]*$/.test(line);
}

function parseFirstLine(line: string): unknown {
  return withHeaderReason(() => firstLineShape(parseStrictJson(line), 'line 1')).chain;
}

function verifyAt(
  index: number,
  source: unknown,
  checkSignature: (certificate: Certificate) => void,
): Certificate {
  try {
    const certificate = parseCertificate(source);
    verifyPayloadHash(certificate);
    checkSignature(certificate);
    return certificate;
  } catch (error) {
    throw withIndex(error, index);
  }
}

function withIndex(error: unknown, index: number): unknown {
  if (!(error instanceof ProofError)) return error;
  return new ProofError(error.reason, error.detail, { index, cause: error });
}

function withHeaderReason<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new ProofError('chain_header', error.detail, { cause: error });
  }
}

function truncated(found: string, index: number): ProofError {
  return new ProofError('truncated', `the export holds ${found}`, { index });
}

function asArray(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new ProofError('schema', `${path} must be an array`);
  return value;
}

export type ChainIdentity = { issuer: string; genesis: string };

/**
 * Returns the `prevHash` of the first certificate of a chain. It binds the chain to a workspace,
 * because no payload names its workspace.
 */
export function genesisHash(issuer: string, workspaceId: string): string {
  return sha256Hex(`witan-chain/v1\n${issuer}\n${workspaceId}`);
}

/**
 * Checks that `certificate` directly follows `previous` in the chain (undefined for the first
 * certificate): same issuer, next index, hash of `previous`, no earlier `issuedAt`. Verifies
 * neither hash nor signature of `certificate`. Throws ProofError `issuer`, `hole`, `fork`,
 * `genesis`, `prev_hash` or `issued_at`, with the index at which the chain breaks.
 */
export function verifyLink(
  previous: Certificate | undefined,
  certificate: Certificate,
  chain: ChainIdentity,
): void {
  const { issuer, chainIndex, prevHash, issuedAt } = certificate.payload;
  const index = previous === undefined ? 0 : previous.payload.chainIndex + 1;
  if (issuer !== chain.issuer) {
    throw new ProofError('issuer', `issuer is ${issuer}, not ${chain.issuer}`, { index });
  }
  if (chainIndex > index) {
    throw new ProofError('hole', `the next certificate has chainIndex ${chainIndex}`, { index });
  }
  if (chainIndex < index) {
    throw new ProofError('fork', `chainIndex ${chainIndex} comes a second time`, { index });
  }
  if (previous === undefined) {
    if (prevHash === chain.genesis) return;
    throw new ProofError('genesis', 'prevHash is not the genesis hash of the chain', { index });
  }
  if (prevHash !== previous.payload_hash) {
    throw new ProofError('prev_hash', 'prevHash is not payload_hash of the predecessor', { index });
  }
  if (issuedAt < previous.payload.issuedAt) {
    const detail = `issuedAt ${issuedAt} is before the predecessor's ${previous.payload.issuedAt}`;
    throw new ProofError('issued_at', detail, { index });
  }
}
