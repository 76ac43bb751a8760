import { unavailable } from '@witan/contracts';
import type { SchemaReply, SchemaTask } from './schema-thread-main.ts';

export type QueuedSchemaTask = {
  task: SchemaTask;
  workspaceId: string;
  resolve: (reply: SchemaReply) => void;
  reject: (error: unknown) => void;
};

export type SchemaQueue = {
  /** Queues a task. Throws UNAVAILABLE if the workspace has too many queued tasks. */
  add: (queued: QueuedSchemaTask) => void;
  take: () => QueuedSchemaTask | undefined;
  remove: (queued: QueuedSchemaTask) => void;
  takeAll: () => QueuedSchemaTask[];
};

/** Maximum number of queued tasks per workspace, because their texts stay in memory. */
export const QUEUED_MAX = 256;

export const createSchemaQueue = (): SchemaQueue => {
  const byWorkspace = new Map<string, Set<QueuedSchemaTask>>();
  /**
   * Workspace whose task was taken last. Any other workspace with a queued task is served first.
   */
  let lastServed: string | undefined;

  const nextWorkspaceId = (): string | undefined => {
    const [first, second] = byWorkspace.keys();
    return first === lastServed ? (second ?? first) : first;
  };
  return {
    add: (queued) => {
      const tasks = byWorkspace.get(queued.workspaceId) ?? new Set();
      if (tasks.size >= QUEUED_MAX) {
        const message = `${QUEUED_MAX} schemas of this workspace wait to be read; try again.`;
        throw unavailable(message);
      }
      byWorkspace.set(queued.workspaceId, tasks.add(queued));
    },
    take: () => {
      const workspaceId = nextWorkspaceId();
      if (workspaceId === undefined) return undefined;
      const tasks = byWorkspace.get(workspaceId)!;
      const [queued] = tasks;
      tasks.delete(queued!);
      byWorkspace.delete(workspaceId);
      if (tasks.size > 0) byWorkspace.set(workspaceId, tasks);
      lastServed = workspaceId;
      return queued;
    },
    remove: (queued) => {
      const tasks = byWorkspace.get(queued.workspaceId);
      tasks?.delete(queued);
      if (tasks?.size === 0) byWorkspace.delete(queued.workspaceId);
    },
    takeAll: () => {
      const allTasks = [...byWorkspace.values()].flatMap((tasks) => [...tasks]);
      byWorkspace.clear();
      return allTasks;
    },
  };
};
