import { parentPort } from 'node:worker_threads';

/**
 * What a worker thread is asked: to begin the task with this id, or, without `task`, to continue it
 * or to forget it.
 */
export type TaskMessage<Task> = { id: number; task?: Task; isCancelled?: true };

/** What it replies to a task that it has begun or continued. */
export type TaskReply<Reply> = { reply: Reply } | { isPaused: true };

/**
 * Time in milliseconds after which a task that runs in steps is paused, so that another one can
 * run. It is short, because texts of other workspaces wait for it, and many times what passing a
 * message takes.
 */
const SLICE_MS = 20;

/** Serves the tasks of this worker thread; each runs at once to its end. */
export const serveTasks = (run: (task: never) => unknown): void => {
  parentPort?.on('message', ({ task }: Required<TaskMessage<never>>) => post({ reply: run(task) }));
};

/**
 * Serves the tasks of this worker thread in steps. After each step a task can be paused, continued
 * or cancelled.
 */
export const serveTasksInSteps = (run: (task: never) => Generator<void, unknown, void>): void => {
  const paused = new Map<number, Generator<void, unknown, void>>();
  parentPort?.on('message', ({ id, task, isCancelled }: TaskMessage<never>) => {
    const steps = task === undefined ? paused.get(id) : run(task);
    paused.delete(id);
    if (isCancelled || !steps) return;
    const pauseAt = performance.now() + SLICE_MS;
    let step = steps.next();
    while (step.done !== true && performance.now() < pauseAt) step = steps.next();
    if (step.done !== true) paused.set(id, steps);
    post(step.done === true ? { reply: step.value } : { isPaused: true });
  });
};

const post = (reply: TaskReply<unknown>): void => parentPort?.postMessage(reply);
