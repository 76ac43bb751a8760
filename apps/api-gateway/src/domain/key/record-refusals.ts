import type { AuditEntry, RecordAudit } from '../audit/audit.ts';
import type { Refusal } from './authenticate.ts';

/** A key is audited at most once for each reason within this time, in milliseconds. */
const QUIET_MS = 60_000;
/** Pairs of key and reason remembered; a flood of more is counted by the meters, not audited. */
const REMEMBERED_MAX = 10_000;
/** Entries of one transaction. */
const ENTRIES_MAX = 500;

/** Nobody knows who came with a key that is not good. */
const ACTOR = 'unknown';

/** Audits refusals of keys that exist, behind the callers' backs. */
export type Refusals = {
  /** Cheap, and never fails: the caller's answer does not wait for the audit. */
  note: (refusal: Refusal) => void;
  /** Answers when everything that was noted has been written, or given up and reported. */
  flush: () => Promise<void>;
};

/**
 * Records refusals of known keys, at most one a minute for a key and a reason. A key that is
 * malformed or unknown belongs to no workspace, so there is no audit that could hold it.
 */
export const recordRefusals = (deps: {
  recordAudit: RecordAudit;
  clock: () => number;
  /** Runs the work later: when what is being answered now has been answered. */
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

/** Remembers what it was asked about; the oldest stand first, so forgetting costs little. */
const isNews = (last: Map<string, number>, pair: string, now: number): boolean => {
  for (const [old, at] of last) {
    if (at > now - QUIET_MS) break;
    last.delete(old);
  }
  if (last.has(pair) || last.size >= REMEMBERED_MAX) return false;
  last.set(pair, now);
  return true;
};
