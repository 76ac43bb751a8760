import { isServiceError, unavailable } from '@witan/contracts';
import type { WorkspaceModels } from '../provider/workspace-models.ts';

type Entry = { models: WorkspaceModels; until: number };
/** A running read. It is an object so that two reads of one workspace can be distinguished. */
type Reading = { promise?: Promise<WorkspaceModels> };

type SettingsCacheOptions = {
  ttlMs: number;
  clock: () => number;
  maxEntries: number;
  onFailure: (workspaceId: string, error: unknown) => void;
};

type SettingsCache = {
  get: (workspaceId: string) => WorkspaceModels | Promise<WorkspaceModels>;
  invalidate: (workspaceId: string) => void;
};

/**
 * Creates a cache of workspaces' models, so that most completions need no database read. Concurrent
 * calls share one read. If reading fails, cached models remain valid and are read again after
 * `ttlMs`; without cached models, `get` rejects with the failure if it is a ServiceError, else with
 * UNAVAILABLE.
 */
export const createSettingsCache = (
  read: (workspaceId: string) => Promise<WorkspaceModels>,
  { ttlMs, clock, maxEntries, onFailure }: SettingsCacheOptions,
): SettingsCache => {
  const cached = new Map<string, Entry>();
  const reading = new Map<string, Reading>();

  const store = (workspaceId: string, entry: Entry): void => {
    cached.delete(workspaceId);
    cached.set(workspaceId, entry);
    if (cached.size > maxEntries) cached.delete(cached.keys().next().value!);
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
        if (isCurrent()) store(workspaceId, { models, until: startedAt + ttlMs });
        return models;
      } catch (error) {
        onFailure(workspaceId, error);
        const models = isCurrent() ? cached.get(workspaceId)?.models : undefined;
        if (!models) throw toUnavailable(error);
        store(workspaceId, { models, until: clock() + ttlMs });
        return models;
      } finally {
        if (isCurrent()) reading.delete(workspaceId);
      }
    };
    own.promise = run();
    return own.promise;
  };
  return {
    get: (workspaceId) => {
      const entry = cached.get(workspaceId);
      if (entry && entry.until > clock()) return entry.models;
      return reading.get(workspaceId)?.promise ?? startReading(workspaceId);
    },
    invalidate: (workspaceId) => {
      cached.delete(workspaceId);
      reading.delete(workspaceId);
    },
  };
};

const toUnavailable = (error: unknown): Error =>
  isServiceError(error)
    ? error
    : unavailable("The workspace's model settings cannot be read; try again.", error);
