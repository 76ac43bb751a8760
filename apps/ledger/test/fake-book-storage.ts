import { genesisHash } from '@witan/proof';
import type { ChainHead, SealedCertificate } from '../src/domain/certificate/seal-certificates.ts';
import type { BookStorage, SealedGroup } from '../src/domain/book/write.ts';

type Held = { workspaceId: string; state: 'held' | 'settled' | 'released' };

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

/** Opens empty books whose current key is `keyId`. */
export const createFakeBookStorage = (keyId: string, issuer: string): FakeBookStorage => {
  const heads = new Map<string, ChainHead>();
  const reservations = new Map<string, Held>();
  const certificates: SealedCertificate[] = [];

  const isHeld = (proofId: string, workspaceId: string): boolean => {
    const found = reservations.get(proofId);
    return found?.workspaceId === workspaceId && found.state === 'held';
  };
  const append = ({ workspaceId, before, after, certificates: sealed }: SealedGroup): boolean => {
    const head = heads.get(workspaceId);
    if (head?.chainIndex !== before.chainIndex || head.hash !== before.hash) return false;
    heads.set(workspaceId, after);
    certificates.push(...sealed);
    for (const { id } of sealed) reservations.get(id)!.state = 'settled';
    return true;
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
      };
      for (const { kind, proofId, workspaceId } of writes) {
        if (kind !== 'reserve') continue;
        if (!reservations.has(proofId)) reservations.set(proofId, { workspaceId, state: 'held' });
        else if (!isHeld(proofId, workspaceId)) problems.taken.add(proofId);
      }
      for (const { kind, proofId, workspaceId } of writes) {
        if (kind !== 'release' || !isHeld(proofId, workspaceId)) continue;
        reservations.get(proofId)!.state = 'released';
      }
      for (const group of groups) {
        const bad = group.certificates.filter(({ id }) => !isHeld(id, group.workspaceId));
        for (const { id } of bad) problems.unreserved.add(id);
        if (bad.length === 0 && !append(group)) problems.moved.add(group.workspaceId);
      }
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
