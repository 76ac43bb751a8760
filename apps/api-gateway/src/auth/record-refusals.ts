import type { AuditEntry, RecordAudit } from '../audit/audit.ts';
import type { Refusal } from './authenticate.ts';

const AUDIT_INTERVAL_MS = 60_000;
const CACHED_PAIRS_MAX = 10_000;
const ENTRIES_MAX = 500;

/** Actor of the audit entries: the caller that sent a refused key is not authenticated. */
const ACTOR = 'unknown';

type Refusals = {
  /**
   * Records a refused key for the audit. Never throws and does no IO, because it runs before the
   * response is sent.
   */
  record: (refusal: Refusal) => void;
  flush: () => Promise<void>;
};

/**
 * Writes audit entries for refusals of existing keys, at most one a minute for each key and reason.
 * A malformed or unknown key belongs to no workspace and is not audited.
 */
export const recordRefusals = (deps: {
  recordAudit: RecordAudit;
  clock: () => number;
  defer: (work: () => void) => void;
  onFailure: (error: unknown) => void;
}): Refusals => {
  const last = new Map<string, number>();
  let pending: AuditEntry[] = [];
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    while (pending.length > 0) {
      const entries = pending.slice(0, ENTRIES_MAX);
      pending = pending.slice(ENTRIES_MAX);
      try {
        await deps.recordAudit(entries);
      } catch (error) {
        deps.onFailure(error);
      }
    }
    writing = undefined;
  };
  const flush = async (): Promise<void> => {
    if (pending.length > 0) writing ??= write();
    await writing;
  };
  return {
    record: ({ reason, key }) => {
      const now = deps.clock();
      if (!key || !isDue(last, `${key.keyId} ${reason}`, now)) return;
      const { workspaceId, keyId: subject } = key;
      pending.push({ workspaceId, action: 'key.refused', subject, actor: ACTOR, detail: reason });
      if (pending.length === 1) deps.defer(() => void flush());
    },
    flush,
  };
};

/**
 * Returns whether a refusal is audited: `pair` (key and reason) was not audited within the
 * interval, and fewer than CACHED_PAIRS_MAX pairs were. `last` is ordered by time, so expired
 * entries are deleted from its start.
 */
const isDue = (last: Map<string, number>, pair: string, now: number): boolean => {
  for (const [oldPair, at] of last) {
    if (at > now - AUDIT_INTERVAL_MS) break;
    last.delete(oldPair);
  }
  if (last.has(pair) || last.size >= CACHED_PAIRS_MAX) return false;
  last.set(pair, now);
  return true;
};
