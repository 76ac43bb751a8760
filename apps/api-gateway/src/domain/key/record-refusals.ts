import type { AuditEntry, RecordAudit } from '../audit/audit.ts';
import type { Refusal } from './authenticate.ts';

const QUIET_MS = 60_000;
const REMEMBERED_MAX = 10_000;
const ENTRIES_MAX = 500;

/** The caller of a refused key is not authenticated. */
const ACTOR = 'unknown';

export type Refusals = {
  /** Never throws and does no IO: the response does not wait for the audit. */
  note: (refusal: Refusal) => void;
  flush: () => Promise<void>;
};

/**
 * Audits refusals of known keys, at most once a minute per key and reason. A malformed or unknown
 * key belongs to no workspace and is not audited.
 */
export const recordRefusals = (deps: {
  recordAudit: RecordAudit;
  clock: () => number;
  defer: (work: () => void) => void;
  onFailure: (error: unknown) => void;
}): Refusals => {
  const last = new Map<string, number>();
  let waiting: AuditEntry[] = [];
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const entries = waiting.slice(0, ENTRIES_MAX);
      waiting = waiting.slice(ENTRIES_MAX);
      try {
        await deps.recordAudit(entries);
      } catch (error) {
        deps.onFailure(error);
      }
    }
    writing = undefined;
  };
  const flush = async (): Promise<void> => {
    if (waiting.length > 0) writing ??= write();
    await writing;
  };
  return {
    note: ({ reason, key }) => {
      const now = deps.clock();
      if (!key || !isNews(last, `${key.keyId} ${reason}`, now)) return;
      const { workspaceId, keyId: subject } = key;
      waiting.push({ workspaceId, action: 'key.refused', subject, actor: ACTOR, detail: reason });
      if (waiting.length === 1) deps.defer(() => void flush());
    },
    flush,
  };
};

/** The oldest entries come first in `last`, so eviction is cheap. */
const isNews = (last: Map<string, number>, pair: string, now: number): boolean => {
  for (const [old, at] of last) {
    if (at > now - QUIET_MS) break;
    last.delete(old);
  }
  if (last.has(pair) || last.size >= REMEMBERED_MAX) return false;
  last.set(pair, now);
  return true;
};
