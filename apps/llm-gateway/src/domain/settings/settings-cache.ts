import { isServiceError, unavailable } from '@witan/contracts';
import type { WorkspaceModels } from './workspace-models.ts';

type Entry = { models: WorkspaceModels; until: number };
/** A read that runs; another object for each, so that a later one is told from it. */
type Reading = { answer?: Promise<WorkspaceModels> };

export type SettingsCacheOptions = {
  /** What another process wrote is seen within this time, in milliseconds. */
  ttlMs: number;
  /** Milliseconds. */
  clock: () => number;
  /** Workspaces remembered; the longest unread leave first. */
  maxEntries: number;
  /** Hears of reads that failed. */
  onFailure: (workspaceId: string, error: unknown) => void;
};

/** Answers from memory while that is fresh, and then without a promise. */
export type SettingsCache = {
  get: (workspaceId: string) => WorkspaceModels | Promise<WorkspaceModels>;
  /** The next `get` reads anew: this process has changed something. */
  forget: (workspaceId: string) => void;
};

/**
 * Remembers workspaces' models for a moment, so that a completion costs no database read. Calls
 * that come together share one read. While reading fails, what is known stays in force and is read
 * again after `ttlMs`; with nothing known, `get` rejects with UNAVAILABLE.
 */
export const createSettingsCache = (
  read: (workspaceId: string) => Promise<WorkspaceModels>,
  { ttlMs, clock, maxEntries, onFailure }: SettingsCacheOptions,
): SettingsCache => {
  const known = new Map<string, Entry>();
  const reading = new Map<string, Reading>();

  const remember = (workspaceId: string, entry: Entry): void => {
    known.delete(workspaceId);
    known.set(workspaceId, entry);
    if (known.size > maxEntries) known.delete(known.keys().next().value!);
  };
  const startReading = (workspaceId: string): Promise<WorkspaceModels> => {
    const own: Reading = {};
    reading.set(workspaceId, own);
    // What was forgotten while its old state was being read must not be remembered so.
    const isCurrent = (): boolean => reading.get(workspaceId) === own;
    const run = async (): Promise<WorkspaceModels> => {
      const startedAt = clock();
      try {
        const models = await read(workspaceId);
        if (isCurrent()) remember(workspaceId, { models, until: startedAt + ttlMs });
        return models;
      } catch (error) {
        onFailure(workspaceId, error);
        const models = isCurrent() ? known.get(workspaceId)?.models : undefined;
        if (!models) throw toUnavailable(error);
        remember(workspaceId, { models, until: clock() + ttlMs });
        return models;
      } finally {
        if (isCurrent()) reading.delete(workspaceId);
      }
    };
    own.answer = run();
    return own.answer;
  };
  return {
    get: (workspaceId) => {
      const entry = known.get(workspaceId);
      if (entry && entry.until > clock()) return entry.models;
      return reading.get(workspaceId)?.answer ?? startReading(workspaceId);
    },
    forget: (workspaceId) => {
      known.delete(workspaceId);
      reading.delete(workspaceId);
    },
  };
};

const toUnavailable = (error: unknown): Error =>
  isServiceError(error)
    ? error
    : unavailable("The workspace's model settings cannot be read; try again.", error);
