import { isServiceError, ServiceError } from '@witan/contracts';
import { everyWorkspace, repeatEvery } from '@witan/service-kit';
import type { Database, Log } from '@witan/service-kit';
import { createRecordAudit } from '../../audit/store/audit-store.ts';
import { hashToken } from '../../console-session/session-cookie.ts';
import { findSession } from '../../console-session/store/console-session-store.ts';
import { authenticate } from '../authenticate.ts';
import type {
  Found,
  Headers,
  KeyDirectory,
  Refusal,
  RefusalReason,
  WatchKey,
} from '../authenticate.ts';
import { recordRefusals } from '../record-refusals.ts';
import { findKey } from './key-store.ts';

/** Lifetime of what is cached: a revoked key is accepted for at most this time. */
const TTL_MS = 3_000;
const SAVE_USES_EVERY_MS = 5_000;

/** Opens the keys and sessions of the database: cached, with their uses and refusals recorded. */
export const openKeyDirectory = (
  database: Database,
  { log, onKeyRefused }: { log: Log; onKeyRefused: (reason: RefusalReason) => void },
): KeyDirectory & { stop: () => Promise<void> } => {
  const onSaveFailed = (err: unknown): void =>
    log.warn(
      { event: 'key_uses_save_failed', err },
      'Could not save the last uses of API keys, they stay pending',
    );
  const uses = trackKeyUses({
    save: (saved) => saveKeyUses(database, saved),
    clock: Date.now,
    onFailure: onSaveFailed,
  });
  const refusals = recordRefusals({
    recordAudit: createRecordAudit(database),
    clock: Date.now,
    defer: setImmediate,
    onFailure: (err) =>
      log.error(
        { event: 'key_refusal_audit_failed', err },
        'Could not write the audit entries of refused API keys',
      ),
  });
  // Sessions are cached by hash, so that no cookie stays in memory.
  const findByHash = createKeyCache((cookieHash) =>
    findSession(database, Buffer.from(cookieHash, 'hex')),
  );
  const saving = repeatEvery(SAVE_USES_EVERY_MS, uses.flush, onSaveFailed);
  const directory = {
    findKey: createKeyCache((lookupId) => findKey(database, lookupId)),
    findSession: (cookie: string) => findByHash(hashToken(cookie).toString('hex')),
    onRefused: (refusal: Refusal): void => {
      onKeyRefused(refusal.reason);
      refusals.record(refusal);
    },
  };
  const watching = watchKeys(directory);
  return {
    ...directory,
    onUsed: uses.record,
    watch: watching.watch,
    stop: async () => {
      watching.stop();
      await saving.stop();
      await Promise.all([uses.flush(), refusals.flush()]);
    },
  };
};

const CACHE_MAX = 10_000;

/**
 * Caches what `find` finds for 3 s, so a revocation takes effect within that time, and returns it
 * without a promise. What is not found is not cached. Concurrent calls with one id share one
 * database read.
 */
export const createKeyCache = <K>(
  find: (id: string) => Promise<K | undefined>,
  clock: () => number = performance.now.bind(performance),
): ((id: string) => Found<K>) => {
  const known = new Map<string, { key: K; until: number }>();
  const reading = new Map<string, Promise<K | undefined>>();

  const read = async (id: string): Promise<K | undefined> => {
    try {
      const startedAt = clock();
      const key = await find(id);
      known.delete(id);
      if (key) known.set(id, { key, until: startedAt + TTL_MS });
      if (known.size > CACHE_MAX) known.delete(known.keys().next().value!);
      return key;
    } finally {
      reading.delete(id);
    }
  };
  return (id) => {
    const entry = known.get(id);
    if (entry && entry.until > clock()) return entry.key;
    const running = reading.get(id) ?? read(id);
    reading.set(id, running);
    return running;
  };
};

/**
 * Interval of the checks. Together with the 3 s for which a key is cached, a revocation ends
 * streams within 5 s.
 */
const CHECK_EVERY_MS = 1_500;

/** Checks the keys of all running calls at once; a refusal is not recorded for the audit. */
const watchKeys = (
  directory: Pick<KeyDirectory, 'findKey' | 'findSession'>,
): { watch: WatchKey; stop: () => void } => {
  const silent = { ...directory, onRefused: () => {} };
  const running = new Map<AbortController, Headers>();
  const check = async (abortController: AbortController, headers: Headers): Promise<void> => {
    try {
      await authenticate(headers, silent, Date.now());
    } catch (error) {
      // Other errors, such as an unavailable database, do not end the call; the check is repeated.
      if (!isServiceError(error) || error.reason !== 'UNAUTHENTICATED') return;
      if (running.delete(abortController)) abortController.abort(keyNoLongerValid());
    }
  };
  const timer = setInterval(() => {
    for (const [abortController, headers] of running) void check(abortController, headers);
  }, CHECK_EVERY_MS).unref();
  return {
    watch: (headers, abortController) => {
      running.set(abortController, headers);
      return () => void running.delete(abortController);
    },
    stop: () => clearInterval(timer),
  };
};

const keyNoLongerValid = (): ServiceError =>
  new ServiceError(
    'UNAUTHENTICATED',
    'The API key of this call was revoked or has expired; the call ends here.',
  );

const MINUTE_MS = 60_000;
const KEYS_MAX = 10_000;

type KeyUses = {
  record: (keyId: string) => void;
  /**
   * Saves the pending times of last use. Never rejects; times that could not be saved stay pending,
   * up to `KEYS_MAX` of them.
   */
  flush: () => Promise<void>;
};

/**
 * Tracks when each API key was last used, to the minute, so that it is written at most once a
 * minute.
 */
export const trackKeyUses = (deps: {
  save: (uses: ReadonlyMap<string, Date>) => Promise<void>;
  clock: () => number;
  onFailure: (error: unknown) => void;
}): KeyUses => {
  let minute = 0;
  const recorded = new Set<string>();
  let pending = new Map<string, Date>();
  let running = Promise.resolve();
  const restore = (uses: ReadonlyMap<string, Date>): void => {
    for (const [keyId, at] of uses) {
      if (!pending.has(keyId) && pending.size < KEYS_MAX) pending.set(keyId, at);
    }
  };
  const savePending = async (): Promise<void> => {
    if (pending.size === 0) return;
    const uses = pending;
    pending = new Map();
    try {
      await deps.save(uses);
    } catch (error) {
      restore(uses);
      deps.onFailure(error);
    }
  };
  return {
    record: (keyId) => {
      const current = Math.floor(deps.clock() / MINUTE_MS);
      if (current !== minute) {
        minute = current;
        recorded.clear();
      }
      if (recorded.has(keyId) || recorded.size >= KEYS_MAX) return;
      recorded.add(keyId);
      pending.set(keyId, new Date(minute * MINUTE_MS));
    },
    // Flushes run one after another, so that the last flush before the process exits also waits for
    // one that is still running.
    flush: () => {
      running = running.then(savePending);
      return running;
    },
  };
};

/**
 * Saves the last uses of several keys in one statement. Skips keys for which another process has
 * saved the same or a later time. Rows are locked in the order of their ids, so that processes
 * cannot deadlock.
 */
const SAVE_KEY_USES = `
  UPDATE api_key SET last_used_at = used.at
  FROM (
    SELECT api_key.id, wanted.at
    FROM jsonb_to_recordset(?::jsonb) AS wanted (id text, at timestamptz)
    JOIN api_key ON api_key.id = wanted.id
    WHERE api_key.last_used_at IS NULL OR api_key.last_used_at < wanted.at
    ORDER BY api_key.id
    FOR UPDATE OF api_key
  ) AS used
  WHERE api_key.id = used.id`;

export const saveKeyUses = async (
  database: Database,
  uses: ReadonlyMap<string, Date>,
): Promise<void> => {
  const rows = [...uses].map(([id, at]) => ({ id, at }));
  await database.scoped(everyWorkspace, (em) => em.execute(SAVE_KEY_USES, [JSON.stringify(rows)]));
};
