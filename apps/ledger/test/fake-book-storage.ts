import { genesisHash } from '@witan/proof';
import type {
  ChainHead,
  NewCertificate,
  SealedCertificate,
} from '../src/domain/certificate/seal-certificates.ts';
import type { BookStorage, Reserve, SealedGroup } from '../src/domain/book/write.ts';

type Reservation = {
  workspaceId: string;
  state: 'held' | 'settled' | 'released';
  amount: bigint;
};
type Account = { posted: bigint; held: bigint };

/** The books in memory. `book-storage.test.ts` holds it to what Postgres does. */
export type FakeBookStorage = BookStorage & {
  /** Every certificate, in the order of sealing. */
  certificates: SealedCertificate[];
  /** How many writes each commit held. */
  commits: number[];
  /** Awaited before each commit takes effect; a test may hold it, or make it throw. */
  beforeCommit: () => Promise<void>;
  /** Awaited after each commit took effect, before its caller hears of it. */
  afterCommit: () => Promise<void>;
};

type Options = {
  keyId: string;
  issuer: string;
  /** What a new account starts with; undefined: calls are not metered. */
  openingCredit?: number;
};

/** Opens empty books whose current key is `keyId`. */
export const createFakeBookStorage = ({
  keyId,
  issuer,
  openingCredit,
}: Options): FakeBookStorage => {
  const heads = new Map<string, ChainHead>();
  const reservations = new Map<string, Reservation>();
  const accounts = new Map<string, Account>();
  const certificates: SealedCertificate[] = [];
  const isMetered = openingCredit !== undefined;

  const accountOf = (workspaceId: string): Account => {
    const account = accounts.get(workspaceId) ?? { posted: BigInt(openingCredit ?? 0), held: 0n };
    accounts.set(workspaceId, account);
    return account;
  };
  const heldOf = (proofId: string, workspaceId: string): Reservation | undefined => {
    const found = reservations.get(proofId);
    return found?.workspaceId === workspaceId && found.state === 'held' ? found : undefined;
  };
  const settle = (workspaceId: string, sealed: readonly NewCertificate[]): void => {
    const account = accountOf(workspaceId);
    const calls = sealed.map(({ id, usageTokens }) => {
      const reservation = reservations.get(id)!;
      return { reservation, usage: BigInt(usageTokens) };
    });
    for (const { reservation, usage } of calls) {
      reservation.state = 'settled';
      if (reservation.amount === 0n) continue;
      account.held -= reservation.amount;
      account.posted -= usage < reservation.amount ? usage : reservation.amount;
    }
    for (const { reservation, usage } of calls) {
      const beyond = usage - reservation.amount;
      if (reservation.amount === 0n || beyond <= 0n) continue;
      const free = account.posted - account.held;
      account.posted -= beyond < free ? beyond : free;
    }
  };
  const append = ({ workspaceId, before, after, certificates: sealed }: SealedGroup): boolean => {
    const head = heads.get(workspaceId);
    if (head?.chainIndex !== before.chainIndex || head.hash !== before.hash) return false;
    heads.set(workspaceId, after);
    certificates.push(...sealed);
    settle(workspaceId, sealed);
    return true;
  };
  const reserve = (
    { proofId, workspaceId, amount, minimum }: Reserve,
    problems: { taken: Set<string>; short: Set<string>; busy: Set<string> } & {
      held: Map<string, bigint>;
    },
  ): void => {
    const standing = heldOf(proofId, workspaceId);
    if (standing) {
      if (isMetered && standing.amount !== amount) problems.held.set(proofId, standing.amount);
      return;
    }
    if (reservations.has(proofId)) {
      problems.taken.add(proofId);
      return;
    }
    const account = accountOf(workspaceId);
    const free = account.posted - account.held;
    if (isMetered && free < minimum) {
      (account.posted < minimum ? problems.short : problems.busy).add(proofId);
      return;
    }
    const wanted = isMetered ? amount : 0n;
    const held = wanted < free ? wanted : isMetered ? free : 0n;
    if (isMetered && held !== amount) problems.held.set(proofId, held);
    account.held += held;
    reservations.set(proofId, { workspaceId, state: 'held', amount: held });
  };

  const storage: FakeBookStorage = {
    certificates,
    commits: [],
    beforeCommit: async () => {},
    afterCommit: async () => {},
    commit: async (writes, groups, signedBy) => {
      await storage.beforeCommit();
      const appends = groups.flatMap((group) => group.certificates);
      if (appends.length > 0 && signedBy !== keyId) throw new Error('the key is not current');
      storage.commits.push(writes.length + appends.length);
      const problems = {
        moved: new Set<string>(),
        unreserved: new Set<string>(),
        taken: new Set<string>(),
        short: new Set<string>(),
        busy: new Set<string>(),
        held: new Map<string, bigint>(),
      };
      for (const { kind, proofId, workspaceId } of writes) {
        const held = kind === 'release' && heldOf(proofId, workspaceId);
        if (!held) continue;
        held.state = 'released';
        accountOf(workspaceId).held -= held.amount;
      }
      for (const group of groups) {
        const bad = group.certificates.filter(({ id }) => !heldOf(id, group.workspaceId));
        for (const { id } of bad) problems.unreserved.add(id);
        if (bad.length === 0 && !append(group)) problems.moved.add(group.workspaceId);
      }
      for (const write of writes) if (write.kind === 'reserve') reserve(write, problems);
      await storage.afterCommit();
      return problems;
    },
    loadHeads: async (workspaceIds) => {
      for (const id of workspaceIds) {
        if (heads.has(id)) continue;
        heads.set(id, { chainIndex: -1, hash: genesisHash(issuer, id), issuedAt: 0 });
      }
      return new Map(workspaceIds.map((id) => [id, heads.get(id)!]));
    },
    findCertificate: async (workspaceId, proofId) =>
      certificates.find((one) => one.id === proofId && one.workspaceId === workspaceId),
  };
  return storage;
};
