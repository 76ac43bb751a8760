import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findDatabaseUrl } from '@witan/stack';
import type { SystemFile } from '@witan/stack';
import { provisionDatabases } from '@witan/stack/postgres/provision';
import type { EmitterOutbox, FromEmitter, ToEmitter } from './emitter.ts';

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

/** Creates a schema with an outbox that the emitter relays itself. */
export const createEmitterOutbox = async ({
  databaseUrl: adminUrl,
  natsUrl,
}: Pick<SystemFile, 'databaseUrl' | 'natsUrl'>): Promise<EmitterOutbox> => {
  const secrets = { [SCHEMA]: randomUUID() };
  const urls = await provisionDatabases({ adminUrl, services: [SCHEMA], secrets });
  return { databaseUrl: urls[SCHEMA]!, schema: SCHEMA, natsUrl: natsUrl! };
};

/** Finds the outbox of the simulation service, which relays it; waits while the system starts. */
export const findServiceOutbox = async (home: string): Promise<EmitterOutbox> => {
  const schema = 'simulation';
  for (;;) {
    const databaseUrl = await findDatabaseUrl(home, schema);
    if (databaseUrl !== undefined) return { databaseUrl, schema, natsUrl: undefined };
    await pause(RESTART_MS);
  }
};

/** Starts the process of the emitter, which asks for its outbox at each start. */
export const openEmitter = async (
  { workspaceId: ownWorkspaceId }: Pick<SystemFile, 'workspaceId'>,
  findOutbox: () => Promise<EmitterOutbox>,
): Promise<Emitter> => {
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
      const open = await findOutbox();
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
