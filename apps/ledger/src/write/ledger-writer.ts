import { conflict, ServiceError } from '@witan/contracts';
import type { ChainHead, SignedCertificate } from '../chain/sign-certificates.ts';
import { signCertificates } from '../chain/sign-certificates.ts';
import { ClockDifferenceError } from '../signing-key/signing-clock.ts';
import { KeyRetiredError } from '../signing-key/keyring.ts';
import type { CurrentKey, Keyring } from '../signing-key/keyring.ts';
import { balanceHeld, balanceTooSmall, proofIdUsed } from './ledger-write.ts';
import type {
  Append,
  LedgerStorage,
  LedgerWrite,
  CommitProblems,
  ProofIdState,
  Reserve,
  SignedGroup,
} from './ledger-write.ts';

export type Outcome =
  | { kind: 'appended'; certificate: SignedCertificate }
  | { kind: 'reserved'; held: bigint | undefined }
  | { kind: 'released' };

export type LedgerWriter = {
  /**
   * Resolves once the write is durable. Rejects with LEDGER_UNAVAILABLE when it failed or its
   * outcome is unknown (the caller may retry: a repeated write takes effect at most once) and with
   * CONFLICT when it can never succeed. A reserve also rejects with INSUFFICIENT_QUOTA or
   * RATE_LIMITED when too few tokens are free. An append to a settled reservation resolves with the
   * certificate that settled it.
   */
  write: (write: LedgerWrite) => Promise<Outcome>;
  /** Resolves when no write is pending. */
  idle: () => Promise<void>;
};

type LedgerWriterOptions = {
  storage: LedgerStorage;
  keys: Pick<Keyring, 'currentKey' | 'renew'>;
  issuer: string;
  clock: () => number | Promise<number>;
  isMetered?: boolean;
  onCommit?: (writes: readonly LedgerWrite[], milliseconds: number) => void;
  onFailure?: (error: unknown) => void;
  /** Called for a chain whose last certificate is dated later than a bundle tolerates. */
  onAhead?: (chain: { workspaceId: string; aheadMs: number }) => void;
};

type Pending = { write: LedgerWrite; attempts: number } & PromiseWithResolvers<Outcome>;

/**
 * Maximum number of writes in a commit. Smaller batches let signing, committing and decoding
 * overlap; larger ones need fewer commits. With 200 callers, a limit of 100 certifies a quarter
 * more calls per second than one of 256.
 */
const COMMIT_WRITES_MAX = 100;
const HEADS_MAX = 10_000;
const ATTEMPTS_MAX = 100;
/** Time by which a bundle allows a certificate to be dated after its witnesses. */
const AHEAD_MAX_MS = 5 * 60_000;

/**
 * Creates a writer that commits writes in batches: those that arrive during a commit wait for a
 * later one. Chain heads advance by compare-and-swap, so several replicas can commit concurrently
 * without a leader.
 */
export const createLedgerWriter = (options: LedgerWriterOptions): LedgerWriter => {
  const heads = new Map<string, ChainHead>();
  let waiting: Pending[] = [];
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const { batch, rest } = takeBatch(waiting);
      waiting = rest;
      const retries = await commitBatch(batch, heads, options);
      waiting = [...retries, ...waiting];
    }
    running = undefined;
  };

  return {
    write: (write) => {
      const pending: Pending = { write, attempts: 0, ...Promise.withResolvers<Outcome>() };
      waiting.push(pending);
      // Not awaited: `run` reports the outcome of every write to its caller and never rejects.
      running ??= run();
      return pending.promise;
    },
    idle: async () => running,
  };
};

/**
 * Splits the pending writes into the next batch and the rest. A batch has at most one write of each
 * call, the earliest, so that a release cannot overtake its own reserve.
 */
const takeBatch = (waiting: readonly Pending[]): { batch: Pending[]; rest: Pending[] } => {
  const batch: Pending[] = [];
  const rest: Pending[] = [];
  const batchIds = new Set<string>();
  for (const pending of waiting) {
    const { write } = pending;
    const { proofId } = write;
    const { reservationId } = write.kind === 'append' ? write : { reservationId: proofId };
    const isInBatch = batchIds.has(proofId) || batchIds.has(reservationId);
    (batch.length < COMMIT_WRITES_MAX && !isInBatch ? batch : rest).push(pending);
    batchIds.add(proofId).add(reservationId);
  }
  return { batch, rest };
};

const commitBatch = async (
  batch: readonly Pending[],
  heads: Map<string, ChainHead>,
  options: LedgerWriterOptions,
): Promise<Pending[]> => {
  const started = performance.now();
  let key = options.keys.currentKey();
  try {
    key ??= await options.keys.renew();
    // A reserve without a key would allow a call that cannot be certified.
    if (!key) throw new KeyRetiredError("None of this process's signing keys is in force.");
    // Checked for a reserve, too, because its call would end with a certificate.
    const now = await options.clock();
    const groups = await signGroups(batch, heads, { ...key, now }, options);
    const otherWrites = batch.map(({ write }) => write).filter((write) => write.kind !== 'append');
    const problems = await options.storage.commit(otherWrites, groups, key.signer.keyId);
    advanceHeads(heads, groups, problems);
    options.onCommit?.(
      batch.map(({ write }) => write),
      performance.now() - started,
    );
    return await settleBatch(batch, groups, problems, options);
  } catch (error) {
    for (const { write } of batch) heads.delete(write.workspaceId);
    if (key && error instanceof KeyRetiredError && (await isReplaced(key, options)))
      return [...batch];
    // The commit may have succeeded, so its writes fail with an error after which callers retry.
    options.onFailure?.(error);
    const message =
      error instanceof ClockDifferenceError
        ? error.message
        : 'The ledger cannot reach its database.';
    const failure = new ServiceError('LEDGER_UNAVAILABLE', message, { cause: error });
    for (const pending of batch) pending.reject(failure);
    return [];
  }
};

const isReplaced = async (
  { signer }: CurrentKey,
  { keys, onFailure }: LedgerWriterOptions,
): Promise<boolean> => {
  try {
    const next = await keys.renew();
    return next !== undefined && next.signer.keyId !== signer.keyId;
  } catch (error) {
    onFailure?.(error);
    return false;
  }
};

const signGroups = async (
  batch: readonly Pending[],
  heads: Map<string, ChainHead>,
  { signer, notBefore, now: clockMs }: CurrentKey & { now: number },
  { storage, issuer, onAhead }: LedgerWriterOptions,
): Promise<SignedGroup[]> => {
  const commitAppends = batch.map(({ write }) => write).filter((write) => write.kind === 'append');
  const appends = Map.groupBy(commitAppends, ({ workspaceId }) => workspaceId);
  const unknown = [...appends.keys()].filter((workspaceId) => !heads.has(workspaceId));
  if (unknown.length > 0) {
    if (heads.size > HEADS_MAX) heads.clear();
    const all = heads.size === 0 ? [...appends.keys()] : unknown;
    for (const [id, head] of await storage.loadHeads(all)) heads.set(id, head);
  }
  return await Promise.all(
    [...appends].map(async ([workspaceId, group]) => {
      const before = heads.get(workspaceId)!;
      const drafts = group.map(({ draft }) => draft);
      // This process's clock may be behind that of the database, which set `notBefore`.
      const now = Math.max(clockMs, notBefore.getTime());
      const aheadMs = before.issuedAt - now;
      if (aheadMs > AHEAD_MAX_MS) onAhead?.({ workspaceId, aheadMs });
      const commitSize = commitAppends.length;
      const context = { workspaceId, issuer, head: before, now, commitSize };
      const { certificates, head: after } = await signCertificates(drafts, context, signer);
      return { workspaceId, before, after, certificates, settles: toSettles(group) };
    }),
  );
};

const toSettles = (appends: readonly Append[]): Map<string, string> =>
  new Map(
    appends
      .filter(({ proofId, reservationId }) => reservationId !== proofId)
      .map(({ proofId, reservationId }) => [proofId, reservationId]),
  );

const advanceHeads = (
  heads: Map<string, ChainHead>,
  groups: readonly SignedGroup[],
  problems: CommitProblems,
): void => {
  for (const { workspaceId, after, certificates } of groups) {
    const blocked = certificates.some(({ id }) => problems.unreserved.has(id));
    if (problems.moved.has(workspaceId)) heads.delete(workspaceId);
    else if (!blocked) heads.set(workspaceId, after);
  }
};

const settleBatch = async (
  batch: readonly Pending[],
  groups: readonly SignedGroup[],
  problems: CommitProblems,
  { storage, isMetered = false }: Pick<LedgerWriterOptions, 'storage' | 'isMetered'>,
): Promise<Pending[]> => {
  const signed = new Map(groups.flatMap((g) => g.certificates).map((c) => [c.id, c]));
  const blocked = new Set(
    groups
      .filter((g) => g.certificates.some(({ id }) => problems.unreserved.has(id)))
      .map((g) => g.workspaceId),
  );
  const retries: Pending[] = [];
  for (const pending of batch) {
    const { write } = pending;
    if (write.kind === 'reserve') {
      const state = problems.taken.get(write.proofId);
      if (state) await refuseReserve(pending, write, state, storage);
      else settleReserve(pending, write, problems, isMetered);
    } else if (write.kind === 'release') {
      pending.resolve({ kind: 'released' });
    } else if (problems.unreserved.has(write.proofId)) {
      await settleUnreserved(pending, write, storage);
    } else if (blocked.has(write.workspaceId) || problems.moved.has(write.workspaceId)) {
      pending.attempts += 1;
      if (pending.attempts < ATTEMPTS_MAX) retries.push(pending);
      else pending.reject(tooManyConflicts());
    } else {
      pending.resolve({ kind: 'appended', certificate: signed.get(write.proofId)! });
    }
  }
  return retries;
};

const settleReserve = (
  pending: Pending,
  { proofId, amount }: Reserve,
  problems: CommitProblems,
  isMetered: boolean,
): void => {
  const held = problems.held.get(proofId) ?? amount;
  if (problems.short.has(proofId)) pending.reject(balanceTooSmall());
  else if (problems.busy.has(proofId)) pending.reject(balanceHeld());
  else pending.resolve({ kind: 'reserved', held: isMetered ? held : undefined });
};

/**
 * Rejects a reserve whose proof id was used before. The storage reports a reservation that was
 * settled under another id as released, so its certificate is looked up.
 */
const refuseReserve = async (
  pending: Pending,
  { workspaceId, proofId }: Reserve,
  state: ProofIdState,
  storage: LedgerStorage,
): Promise<void> => {
  if (state === 'settled') return pending.reject(proofIdUsed(state, proofId));
  if (state !== 'released') return pending.reject(proofIdUsed(state));
  const settlement = await storage.findCertificate(workspaceId, proofId);
  pending.reject(settlement ? proofIdUsed('settled', settlement.id) : proofIdUsed(state));
};

/**
 * Resolves with the certificate that settled the reservation. Rejects with CONFLICT if there is
 * none: the reservation does not exist, was released, or is open and the certificate's id belongs
 * to another call.
 */
const settleUnreserved = async (
  pending: Pending,
  write: Append,
  storage: LedgerStorage,
): Promise<void> => {
  const certificate = await storage.findCertificate(write.workspaceId, write.reservationId);
  if (certificate) pending.resolve({ kind: 'appended', certificate });
  else pending.reject(conflict('No held reservation stands behind this certificate.'));
};

const tooManyConflicts = (): ServiceError =>
  new ServiceError('LEDGER_UNAVAILABLE', 'Other replicas moved this chain on every try.');
