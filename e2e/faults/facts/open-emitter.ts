import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import type { SystemFile } from '@witan/stack';
import type { FromEmitter, ToEmitter } from './emitter.ts';

/** A process that emits events; it is restarted whenever it ends. */
export type Emitter = {
  /**
   * Emits an event, by default in the workspace of the run. Resolves with true once the commit is
   * acknowledged, with false if the event was refused or its outcome is unknown.
   */
  emit: (name: string, workspaceId?: string) => Promise<boolean>;
  /**
   * Kills the process with SIGKILL; whether unacknowledged events were committed is then unknown.
   */
  kill: () => void;
  stop: () => Promise<void>;
};

const PROGRAM = fileURLToPath(new URL('emitter.ts', import.meta.url));
const SCHEMA = 'emitter';
const RESTART_MS = 100;

/** Creates a database schema for the emitter and starts its process. */
export const openEmitter = async ({
  databaseUrl,
  natsUrl,
  workspaceId: ownWorkspaceId,
}: Pick<SystemFile, 'databaseUrl' | 'natsUrl' | 'workspaceId'>): Promise<Emitter> => {
  const secrets = { [SCHEMA]: randomUUID() };
  const urls = await provisionDatabases({ adminUrl: databaseUrl, services: [SCHEMA], secrets });
  const open = { databaseUrl: urls[SCHEMA]!, schema: SCHEMA, natsUrl: natsUrl! };
  let child: ChildProcess | undefined;
  let isOpen = false;
  let isStopping = false;
  const pending = new Map<string, (isCommitted: boolean) => void>();
  const resolveEmission = (id: string, isCommitted: boolean): void => {
    pending.get(id)?.(isCommitted);
    pending.delete(id);
  };
  const onMessage = (message: FromEmitter): void => {
    if ('opened' in message) isOpen = true;
    else if ('committed' in message) resolveEmission(message.committed, true);
    else resolveEmission(message.refused, false);
  };
  const running = (async () => {
    while (!isStopping) {
      child = fork(PROGRAM, { execArgv: ['--disable-warning=ExperimentalWarning'] });
      child.on('message', onMessage);
      send(child, { open });
      await once(child, 'exit');
      isOpen = false;
      for (const id of pending.keys()) resolveEmission(id, false);
      await pause(RESTART_MS);
    }
  })();
  while (!isOpen) await pause(RESTART_MS);
  return {
    emit: async (name, workspaceId = ownWorkspaceId) => {
      if (!isOpen) return false;
      const id = randomUUID();
      const { promise, resolve } = Promise.withResolvers<boolean>();
      pending.set(id, resolve);
      send(child!, { emit: { id, name, workspaceId } });
      return promise;
    },
    kill: () => void child?.kill('SIGKILL'),
    stop: async () => {
      isStopping = true;
      child?.kill('SIGKILL');
      await running;
    },
  };
};

/**
 * Sends a message to the process. Errors are ignored, because the `exit` event of a killed process
 * resolves its pending calls.
 */
const send = (child: ChildProcess, message: ToEmitter): void => void child.send(message, () => {});
