import { isServiceError, unavailable } from '@witan/contracts';
import type { WorkspaceModels } from './workspace-models.ts';

type Entry = { models: WorkspaceModels; until: number };
/** A running read. It is an object so that two reads of one workspace can be distinguished. */
type Reading = { answer?: Promise<WorkspaceModels> };

export type SettingsCacheOptions = {
  ttlMs: number;
  clock: () => number;
  maxEntries: number;
  onFailure: (workspaceId: string, error: unknown) => void;
};

export type SettingsCache = {
  get: (workspaceId: string) => WorkspaceModels | Promise<WorkspaceModels>;
  forget: (workspaceId: string) => void;
};

/**
 * Caches workspaces' models, so that a completion needs no database read. Concurrent calls share
 * one read. While reading fails, cached models stay in force and are read again after `ttlMs`;
 * without cached models, `get` rejects with UNAVAILABLE.
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
    // A read that started before an invalidation must not be cached.
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
