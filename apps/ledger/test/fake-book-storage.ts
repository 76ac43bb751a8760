import { genesisHash } from '@witan/proof';
import type {
  ChainHead,
  NewCertificate,
  SealedCertificate,
} from '../src/domain/certificate/seal-certificates.ts';
import { KeyRetired } from '../src/domain/signing-key/keyring.ts';
import type {
  BookStorage,
  BookWrite,
  CommitProblems,
  ProofIdState,
  Reserve,
  SealedGroup,
} from '../src/domain/book/write.ts';

type Reservation = {
  workspaceId: string;
  state: 'held' | 'settled' | 'released';
  amount: bigint;
  hasIntent: boolean;
  /** The id that it was settled under instead of its own. */
  settledAs?: string;
};
type Account = { posted: bigint; held: bigint };

/** The books in memory. `book-storage.test.ts` holds it to what Postgres does. */
export type FakeBookStorage = BookStorage & {
  /** Every certificate, in the order of sealing. */
  certificates: SealedCertificate[];
  /** The key in force; a test may put another there. */
  keyId: string;
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

/** Opens empty books whose current key is `keyId`, until another is put in force. */
export const createFakeBookStorage = ({
  keyId,
  issuer,
  openingCredit,
}: Options): FakeBookStorage => {
  const books: Books = {
    heads: new Map(),
    reservations: new Map(),
    accounts: new Map(),
    certificates: [],
    openingCredit,
  };
  const { heads, certificates } = books;
  const storage: FakeBookStorage = {
    certificates,
    commits: [],
    keyId,
    beforeCommit: async () => {},
    afterCommit: async () => {},
    commit: async (writes, groups, signedBy) => {
      await storage.beforeCommit();
      const appends = groups.flatMap((group) => group.certificates);
      if (appends.length > 0 && signedBy !== storage.keyId) throw new KeyRetired(signedBy);
      storage.commits.push(writes.length + appends.length);
      const problems = commitAll(books, writes, groups);
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
    findCertificate: async (workspaceId, reservationId) => {
      const id = books.reservations.get(reservationId)?.settledAs ?? reservationId;
      return certificates.find((one) => one.id === id && one.workspaceId === workspaceId);
    },
  };
  return storage;
};

type Books = {
  heads: Map<string, ChainHead>;
  reservations: Map<string, Reservation>;
  accounts: Map<string, Account>;
  certificates: SealedCertificate[];
  openingCredit: number | undefined;
};
type Problems = { [K in Exclude<keyof CommitProblems, 'held' | 'taken'>]: Set<string> } & {
  taken: Map<string, ProofIdState>;
  held: Map<string, bigint>;
};

const commitAll = (
  books: Books,
  writes: readonly Exclude<BookWrite, { kind: 'append' }>[],
  groups: readonly SealedGroup[],
): Problems => {
  const problems: Problems = {
    moved: new Set(),
    unreserved: new Set(),
    taken: new Map(),
    short: new Set(),
    busy: new Set(),
    held: new Map(),
  };
  for (const write of writes) if (write.kind === 'release') release(books, write);
  for (const group of groups) {
    const bad = group.certificates.filter(({ id }) => !mayAppend(books, id, group));
    for (const { id } of bad) problems.unreserved.add(id);
    if (bad.length === 0 && !append(books, group)) problems.moved.add(group.workspaceId);
  }
  for (const write of writes) if (write.kind === 'reserve') reserve(books, write, problems);
  return problems;
};

const accountOf = ({ accounts, openingCredit = 0 }: Books, workspaceId: string): Account => {
  const account = accounts.get(workspaceId) ?? { posted: BigInt(openingCredit), held: 0n };
  accounts.set(workspaceId, account);
  return account;
};

const heldOf = (
  { reservations }: Books,
  proofId: string,
  workspaceId: string,
): Reservation | undefined => {
  const found = reservations.get(proofId);
  return found?.workspaceId === workspaceId && found.state === 'held' ? found : undefined;
};

const mayAppend = (books: Books, id: string, { workspaceId, settles }: SealedGroup): boolean => {
  const reservationId = settles?.get(id) ?? id;
  const isFree = reservationId === id || !books.reservations.has(id);
  return isFree && heldOf(books, reservationId, workspaceId) !== undefined;
};

const release = (
  books: Books,
  { proofId, workspaceId, onlyUnsent }: Extract<BookWrite, { kind: 'release' }>,
): void => {
  const held = heldOf(books, proofId, workspaceId);
  if (!held || (onlyUnsent && held.hasIntent)) return;
  held.state = 'released';
  accountOf(books, workspaceId).held -= held.amount;
};

const append = (
  books: Books,
  { workspaceId, before, after, certificates, settles }: SealedGroup,
): boolean => {
  const head = books.heads.get(workspaceId);
  if (head?.chainIndex !== before.chainIndex || head.hash !== before.hash) return false;
  books.heads.set(workspaceId, after);
  for (const [id, reservationId] of settles ?? []) {
    const own = books.reservations.get(reservationId)!;
    books.reservations.set(id, { ...own });
    Object.assign(own, { state: 'released', settledAs: id });
  }
  books.certificates.push(...certificates);
  settle(books, workspaceId, certificates);
  return true;
};

const settle = (books: Books, workspaceId: string, sealed: readonly NewCertificate[]): void => {
  const account = accountOf(books, workspaceId);
  const calls = sealed.map(({ id, usageTokens }) => {
    const reservation = books.reservations.get(id)!;
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

const reserve = (books: Books, write: Reserve, problems: Problems): void => {
  const { proofId, workspaceId, amount, minimum, intent } = write;
  const isMetered = books.openingCredit !== undefined;
  const standing = heldOf(books, proofId, workspaceId);
  if (standing?.hasIntent) {
    problems.taken.set(proofId, 'open');
    return;
  }
  if (standing) {
    standing.hasIntent = !!intent && (standing.amount === 0n || amount <= standing.amount);
    problems.held.set(proofId, standing.amount);
    return;
  }
  const ended = books.reservations.get(proofId);
  if (ended) {
    const state = ended.state === 'held' ? 'open' : ended.state;
    problems.taken.set(proofId, ended.workspaceId === workspaceId ? state : 'foreign');
    return;
  }
  const account = accountOf(books, workspaceId);
  const free = account.posted - account.held;
  const least = minimum < 1n ? 1n : minimum;
  if (isMetered && free < least) {
    (account.posted < least ? problems.short : problems.busy).add(proofId);
    return;
  }
  const wanted = !isMetered ? 0n : amount < 1n ? 1n : amount;
  const held = wanted < free ? wanted : isMetered ? free : 0n;
  if (isMetered && held !== amount) problems.held.set(proofId, held);
  account.held += held;
  const hasIntent = !!intent && (!isMetered || held >= amount);
  books.reservations.set(proofId, { workspaceId, state: 'held', amount: held, hasIntent });
};
