import { ProofError } from '@witan/proof';
import { consistencySubtrees } from '@witan/proof/tlog/merkle';
import {
  formatSignatureLine,
  parseNote,
  parseSignatureLines,
  verifyNote,
} from '@witan/proof/tlog/note';
import type { NoteKey } from '@witan/proof/tlog/note';
import { verifyCheckpointText } from '@witan/proof/tlog/verify-bundle';
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
  signer: Pick<LogSigner, 'sign'>;
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
  const sizes = await deps.witnesses.loadSizes();
  const judged = new Map<string, Judged>();
  for (const answer of answers) {
    const witness = deps.policy.policy.witnesses.find(({ name }) => name === answer.witness);
    if (witness) judged.set(witness.name, judge(deps, { witness, answer, note, size, sizes }));
  }
  const results = [...judged.values()];
  await deps.witnesses.save(results.map(({ state }) => state));
  const cosigned = `${note}${results.map(({ line }) => line ?? '').join('')}`;
  const isPublished = hasQuorum(cosigned, deps.policy);
  if (isPublished) await deps.store.save({ size, note: cosigned, policyId: deps.policy.id });
  return {
    isPublished,
    isAgain: results.some(({ isAgain }) => isAgain),
    refused: results.flatMap(({ state, isAhead }) =>
      state.refused === null ? [] : [{ witness: state.name, reason: state.refused, isAhead }],
    ),
  };
};

/** Verifies the note as those who read it do, so that no other one is ever published. */
const hasQuorum = (note: string, { policy }: LogPolicy): boolean => {
  try {
    verifyCheckpointText(note, policy);
    return true;
  } catch (error) {
    if (error instanceof ProofError && error.reason === 'quorum') return false;
    throw error;
  }
};

type Judged = {
  state: WitnessState;
  /** Line of the cosignature, with its line feed. */
  line?: string;
  isAgain: boolean;
  isAhead: boolean;
};

type Answered = {
  witness: LogPolicy['policy']['witnesses'][number];
  answer: WitnessAnswer;
  /** The signed checkpoint that it was asked to cosign. */
  note: string;
  size: number;
  /** What the witnesses had cosigned when they were asked. */
  sizes: ReadonlyMap<string, number>;
};

const judge = (
  { now }: Pick<Deps, 'now'>,
  { witness, answer: { status, body }, note, size, sizes }: Answered,
): Judged => {
  const { name } = witness;
  const refuse = (refused: string, known: number | null = null): Judged => ({
    state: { name, size: known, hasCosigned: false, refused },
    isAgain: false,
    isAhead: false,
  });
  if (status === 409 && /^(?:0|[1-9]\d{0,15})\n?$/.test(body)) {
    const known = Number(body);
    const reason = `has cosigned ${known}, the log has ${size}`;
    // The claim of a larger size is unsigned, so it is not stored.
    if (known > size) return { ...refuse(reason), isAhead: true };
    return { ...refuse(reason, known), isAgain: known !== (sizes.get(name) ?? 0) };
  }
  if (status !== 200) return refuse(status === 0 ? 'no response' : `status ${status}`);
  try {
    const line = readCosignature(body, { note, key: witness.key, now: now() });
    const state = { name, size, hasCosigned: true, refused: null };
    return { state, line, isAgain: false, isAhead: false };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return refuse(error.message);
  }
};

/** Cosignatures of a witness whose clock differs by more are not used. */
const CLOCK_DIFFERENCE_MAX_MS = 24 * 3_600_000;

/**
 * Returns the line with which a witness cosigned a checkpoint, out of those of its response. Throws
 * ProofError if there is none, or if it is invalid.
 */
const readCosignature = (
  body: string,
  { note, key, now }: { note: string; key: NoteKey; now: number },
): string => {
  const signatures = parseSignatureLines(body.replace(/\n$/, '').split('\n')).filter(
    ({ name, keyId }) => name === key.name && keyId === key.id,
  );
  const { text } = parseNote(note);
  const [verified] = verifyNote({ text, signatures: signatures.slice(0, 1) }, [key]);
  if (verified?.time === undefined) {
    throw new ProofError('checkpoint', 'no cosignature in the response');
  }
  if (Math.abs(verified.time * 1_000 - now) > CLOCK_DIFFERENCE_MAX_MS) {
    throw new ProofError('checkpoint', `a cosignature with the time ${verified.time}`);
  }
  return `${formatSignatureLine(key, signatures[0]!.bytes)}\n`;
};

const encodeBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
