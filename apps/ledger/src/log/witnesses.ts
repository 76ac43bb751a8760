import { ProofError } from '@witan/proof';
import { consistencySubtrees } from '@witan/proof/tlog/merkle';
import { parseNote, formatSignatureLine, verifyNote } from '@witan/proof/tlog/note';
import type { VerifiedSignature } from '@witan/proof/tlog/note';
import { quorumTime } from '@witan/proof/tlog/policy';
import type { LogSigner } from './log-keys.ts';
import type { LogPolicy } from './log-policy.ts';
import { verifyHead } from './publish.ts';
import type { LogHead, PublicationStore } from './publish.ts';
import { readProof } from './read-tile.ts';
import type { TileSource } from './read-tile.ts';

/** What is known of a witness: the largest size that it has cosigned, and why it refused last. */
export type WitnessState = {
  name: string;
  /** Null if its response did not name one. */
  size: number | null;
  /** Set if it has cosigned just now. */
  hasCosigned: boolean;
  refused: string | null;
};

export type WitnessStore = {
  loadSizes: () => Promise<ReadonlyMap<string, number>>;
  save: (states: readonly WitnessState[]) => Promise<void>;
  /** Returns the log as it was with a number of epochs; undefined if it has fewer. */
  findHead: (size: number) => Promise<LogHead | undefined>;
};

type Deps = {
  store: PublicationStore;
  witnesses: WitnessStore;
  tiles: TileSource;
  signer: LogSigner;
  origin: string;
  policy: LogPolicy;
  /** Milliseconds since 1970. */
  now: () => number;
};

/** Requests to witnesses (C2SP tlog-witness add-checkpoint) for one size of the log. */
export type Submission = {
  size: number;
  requests: { witness: string; url: string; body: string }[];
};

/** The response of a witness; status 0 if there was none. */
export type WitnessAnswer = { witness: string; status: number; body: string };

/** Time after which a size that was published already is cosigned again, so that it is fresh. */
const REFRESH_MS = 10 * 60_000;

/**
 * Returns what to send to the witnesses; undefined if the last epoch is published, or if the policy
 * needs no witness. Only the log's own signature is sent, because witnesses limit the size of a
 * request.
 */
export const nextSubmission = async (deps: Deps): Promise<Submission | undefined> => {
  const { policy, origin, signer, tiles } = deps;
  if (policy.policy.quorum.kind === 'none') return undefined;
  const witnesses = policy.policy.witnesses.filter(({ url }) => url !== undefined);
  const { head, published, isCurrent } = await deps.store.load(policy.id);
  const ageMs = published ? deps.now() - published.at.getTime() : Infinity;
  if (!head || (isCurrent && ageMs < REFRESH_MS)) return undefined;
  await verifyHead(deps, head, published);
  const note = await signer.sign({ origin, ...head });
  const sizes = await deps.witnesses.loadSizes();
  const requests = witnesses.map(async ({ name, url }) => {
    const old = Math.min(sizes.get(name) ?? 0, head.size);
    const proof = await readProof(tiles, consistencySubtrees(old, head.size), head.size);
    const lines = proof.map((hash) => `${encodeBase64(hash)}\n`).join('');
    const target = `${url!.replace(/\/$/, '')}/add-checkpoint`;
    return { witness: name, url: target, body: `old ${old}\n${lines}\n${note}` };
  });
  return { size: head.size, requests: await Promise.all(requests) };
};

export type Taken = {
  /** True if the checkpoint is published. */
  isPublished: boolean;
  /** True if a witness has cosigned another size than was assumed: it may be asked again. */
  isAgain: boolean;
  /** Witnesses that did not cosign, and why. */
  refused: { witness: string; reason: string; isAhead: boolean }[];
};

/**
 * Verifies the responses of witnesses and publishes the checkpoint if they satisfy the quorum.
 * Below it nothing is published, and the next submission tries again with the newest size. Nothing
 * is signed if the log is halted, or if a larger size is published. Throws as {@link verifyHead}.
 */
export const takeAnswers = async (
  deps: Deps,
  size: number,
  answers: readonly WitnessAnswer[],
): Promise<Taken> => {
  const { head: last, published } = await deps.store.load(deps.policy.id);
  const head = last && (await deps.witnesses.findHead(size));
  if (!head || (published && published.size > size)) {
    return { isPublished: false, isAgain: true, refused: [] };
  }
  await verifyHead(deps, head, published);
  const note = await deps.signer.sign({ origin: deps.origin, ...head });
  const judged = answers.flatMap((answer) => judge(deps, note, { size, answer }));
  await deps.witnesses.save(judged.map(({ state }) => state));
  const signed = judged.flatMap(({ signature }) => (signature ? [signature] : []));
  const { policy } = deps;
  const hasQuorum =
    policy.policy.quorum.kind === 'none' ||
    quorumTime(
      policy.policy.quorum,
      signed.map(({ verified }) => verified),
    ) !== undefined;
  if (hasQuorum) {
    const lines = signed.map(({ line }) => `${line}\n`).join('');
    await deps.store.save({ size, note: note + lines, policyId: policy.id });
  }
  return {
    isPublished: hasQuorum,
    isAgain: judged.some(({ isAgain }) => isAgain),
    refused: judged.flatMap(({ state, isAhead }) =>
      state.refused === null ? [] : [{ witness: state.name, reason: state.refused, isAhead }],
    ),
  };
};

type Judged = {
  state: WitnessState;
  signature?: { verified: VerifiedSignature; line: string };
  isAgain: boolean;
  isAhead: boolean;
};

const judge = (
  { policy }: Deps,
  note: string,
  { size, answer }: { size: number; answer: WitnessAnswer },
): Judged[] => {
  const { witness: name, status, body } = answer;
  const witness = policy.policy.witnesses.find((one) => one.name === name);
  if (!witness) return [];
  const refuse = (refused: string, known: number | null = null): Judged => ({
    state: { name, size: known, hasCosigned: false, refused },
    isAgain: false,
    isAhead: false,
  });
  if (status === 409 && /^(?:0|[1-9]\d{0,15})\n?$/.test(body)) {
    const known = Number(body);
    const reason = `has cosigned ${known}, the log has ${size}`;
    // The claim of a larger size is unsigned, so it is not stored.
    if (known > size) return [{ ...refuse(reason), isAhead: true }];
    return [{ ...refuse(reason, known), isAgain: true }];
  }
  if (status !== 200) return [refuse(status === 0 ? 'no response' : `status ${status}`)];
  try {
    const parsed = parseNote(note + body);
    const [verified] = verifyNote(parsed, [witness.key]);
    const bytes = parsed.signatures.find(({ keyId }) => keyId === witness.key.id)?.bytes;
    if (!verified || !bytes) return [refuse('no cosignature in the response')];
    const line = formatSignatureLine(witness.key, bytes);
    const state = { name, size, hasCosigned: true, refused: null };
    return [{ state, signature: { verified, line }, isAgain: false, isAhead: false }];
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return [refuse(error.message)];
  }
};

const encodeBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
