import { genesisHash } from '@witan/proof';
import type {
  ChainHead,
  NewCertificate,
  SignedCertificate,
} from '../src/chain/sign-certificates.ts';
import { KeyRetiredError } from '../src/signing-key/keyring.ts';
import type {
  LedgerStorage,
  LedgerWrite,
  CommitProblems,
  ProofIdState,
  Reserve,
  SignedGroup,
} from '../src/write/ledger-write.ts';

type Reservation = {
  workspaceId: string;
  state: 'held' | 'settled' | 'released';
  amount: bigint;
  hasIntent: boolean;
  settledAs?: string;
};
type Account = { posted: bigint; held: bigint };

/** In-memory ledger; `ledger-storage.test.ts` checks that it behaves like PostgreSQL. */
export type FakeLedgerStorage = LedgerStorage & {
  certificates: SignedCertificate[];
  keyId: string;
  commits: number[];
  beforeCommit: () => Promise<void>;
  afterCommit: () => Promise<void>;
};

type Options = {
  keyId: string;
  issuer: string;
  openingCredit?: number;
};

export const createFakeLedgerStorage = ({
  keyId,
  issuer,
  openingCredit,
}: Options): FakeLedgerStorage => {
  const ledger: FakeLedger = {
    heads: new Map(),
    reservations: new Map(),
    accounts: new Map(),
    certificates: [],
    openingCredit,
  };
  const { heads, certificates } = ledger;
  const storage: FakeLedgerStorage = {
    certificates,
    commits: [],
    keyId,
    beforeCommit: async () => {},
    afterCommit: async () => {},
    commit: async (writes, groups, signedBy) => {
      await storage.beforeCommit();
      const appends = groups.flatMap((group) => group.certificates);
      if (appends.length > 0 && signedBy !== storage.keyId) throw new KeyRetiredError(signedBy);
      storage.commits.push(writes.length + appends.length);
      const problems = commitAll(ledger, writes, groups);
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
      const id = ledger.reservations.get(reservationId)?.settledAs ?? reservationId;
      return certificates.find(
        (certificate) => certificate.id === id && certificate.workspaceId === workspaceId,
      );
    },
  };
  return storage;
};

type FakeLedger = {
  heads: Map<string, ChainHead>;
  reservations: Map<string, Reservation>;
  accounts: Map<string, Account>;
  certificates: SignedCertificate[];
  openingCredit: number | undefined;
};
type Problems = { [K in Exclude<keyof CommitProblems, 'held' | 'taken'>]: Set<string> } & {
  taken: Map<string, ProofIdState>;
  held: Map<string, bigint>;
};

const commitAll = (
  ledger: FakeLedger,
  writes: readonly Exclude<LedgerWrite, { kind: 'append' }>[],
  groups: readonly SignedGroup[],
): Problems => {
  const problems: Problems = {
    moved: new Set(),
    unreserved: new Set(),
    taken: new Map(),
    short: new Set(),
    busy: new Set(),
    held: new Map(),
  };
  for (const write of writes) if (write.kind === 'release') release(ledger, write);
  for (const group of groups) {
    const rejected = group.certificates.filter(({ id }) => !mayAppend(ledger, id, group));
    for (const { id } of rejected) problems.unreserved.add(id);
    if (rejected.length === 0 && !append(ledger, group)) problems.moved.add(group.workspaceId);
  }
  for (const write of writes) if (write.kind === 'reserve') reserve(ledger, write, problems);
  return problems;
};

const accountOf = ({ accounts, openingCredit = 0 }: FakeLedger, workspaceId: string): Account => {
  const account = accounts.get(workspaceId) ?? { posted: BigInt(openingCredit), held: 0n };
  accounts.set(workspaceId, account);
  return account;
};

const findHeldReservation = (
  { reservations }: FakeLedger,
  proofId: string,
  workspaceId: string,
): Reservation | undefined => {
  const found = reservations.get(proofId);
  return found?.workspaceId === workspaceId && found.state === 'held' ? found : undefined;
};

const mayAppend = (
  ledger: FakeLedger,
  id: string,
  { workspaceId, settles }: SignedGroup,
): boolean => {
  const reservationId = settles?.get(id) ?? id;
  const isFree = reservationId === id || !ledger.reservations.has(id);
  return isFree && findHeldReservation(ledger, reservationId, workspaceId) !== undefined;
};

const release = (
  ledger: FakeLedger,
  { proofId, workspaceId, onlyUnsent }: Extract<LedgerWrite, { kind: 'release' }>,
): void => {
  const reservation = findHeldReservation(ledger, proofId, workspaceId);
  if (!reservation || (onlyUnsent && reservation.hasIntent)) return;
  reservation.state = 'released';
  accountOf(ledger, workspaceId).held -= reservation.amount;
};

const append = (
  ledger: FakeLedger,
  { workspaceId, before, after, certificates, settles }: SignedGroup,
): boolean => {
  const head = ledger.heads.get(workspaceId);
  if (head?.chainIndex !== before.chainIndex || head.hash !== before.hash) return false;
  ledger.heads.set(workspaceId, after);
  for (const [id, reservationId] of settles ?? []) {
    const reservation = ledger.reservations.get(reservationId)!;
    ledger.reservations.set(id, { ...reservation });
    Object.assign(reservation, { state: 'released', settledAs: id });
  }
  ledger.certificates.push(...certificates);
  settle(ledger, workspaceId, certificates);
  return true;
};

const settle = (
  ledger: FakeLedger,
  workspaceId: string,
  signed: readonly NewCertificate[],
): void => {
  const account = accountOf(ledger, workspaceId);
  const calls = signed.map(({ id, usageTokens }) => {
    const reservation = ledger.reservations.get(id)!;
    return { reservation, usage: BigInt(usageTokens) };
  });
  for (const { reservation, usage } of calls) {
    reservation.state = 'settled';
    if (reservation.amount === 0n) continue;
    account.held -= reservation.amount;
    account.posted -= usage < reservation.amount ? usage : reservation.amount;
  }
  for (const { reservation, usage } of calls) {
    const overrun = usage - reservation.amount;
    if (reservation.amount === 0n || overrun <= 0n) continue;
    const free = account.posted - account.held;
    account.posted -= overrun < free ? overrun : free;
  }
};

const reserve = (ledger: FakeLedger, write: Reserve, problems: Problems): void => {
  const { proofId, workspaceId, amount, minimum, intent } = write;
  const isMetered = ledger.openingCredit !== undefined;
  const existing = findHeldReservation(ledger, proofId, workspaceId);
  if (existing?.hasIntent) {
    problems.taken.set(proofId, 'open');
    return;
  }
  if (existing) {
    existing.hasIntent = !!intent && (existing.amount === 0n || amount <= existing.amount);
    problems.held.set(proofId, existing.amount);
    return;
  }
  const endedReservation = ledger.reservations.get(proofId);
  if (endedReservation) {
    const state = endedReservation.state === 'held' ? 'open' : endedReservation.state;
    problems.taken.set(proofId, endedReservation.workspaceId === workspaceId ? state : 'foreign');
    return;
  }
  const account = accountOf(ledger, workspaceId);
  const free = account.posted - account.held;
  const effectiveMinimum = minimum < 1n ? 1n : minimum;
  if (isMetered && free < effectiveMinimum) {
    (account.posted < effectiveMinimum ? problems.short : problems.busy).add(proofId);
    return;
  }
  const requestedTokens = !isMetered ? 0n : amount < 1n ? 1n : amount;
  const held = requestedTokens < free ? requestedTokens : isMetered ? free : 0n;
  if (isMetered && held !== amount) problems.held.set(proofId, held);
  account.held += held;
  const hasIntent = !!intent && (!isMetered || held >= amount);
  ledger.reservations.set(proofId, { workspaceId, state: 'held', amount: held, hasIntent });
};
