import { choosePort } from '@witan/stack/postgres/choose-port';
import type { SystemFile } from '@witan/stack';
import { openRunningSystem } from './open-running-system.ts';
import type { FaultSystem } from './open-running-system.ts';

/** A system in one process: a fault of any of its services is a fault of the process. */
export type ProcessSystem = FaultSystem & {
  /** Calls the listener each time the system has been started again. */
  onRestart: (listener: () => void) => void;
};

/**
 * Starts a system in one process, and starts it again on the same port whenever it ends, as a
 * service manager does.
 */
export const openProcessSystem = async (
  home: string,
  env: Readonly<Record<string, string>>,
): Promise<ProcessSystem> => {
  const start = async (port: number): Promise<FaultSystem> =>
    openRunningSystem(home, { ...env, PORT: String(port) }, []);
  const port = await choosePort({ wanted: 0 });
  const listeners: (() => void)[] = [];
  let system = await start(port);
  let file = await system.readFile();
  let isStopping = false;
  const running = (async () => {
    while (!isStopping) {
      await system.ended;
      // A strike may end the system before its start is noticed; then it is started once more.
      if (!isStopping) system = await start(port).catch(() => system);
      for (const listener of listeners) listener();
    }
  })();
  const readFile = async (): Promise<SystemFile> => {
    // The file is missing while the system starts.
    file = await system.readFile().catch(() => file);
    return file;
  };
  return {
    readFile,
    onRestart: (listener) => void listeners.push(listener),
    prepareSignal: (targets, signal) => system.prepareSignal(targets, signal),
    signal: (targets, signal) => system.signal(targets, signal),
    ended: running,
    stop: async () => {
      isStopping = true;
      await system.stop();
      await running;
      return system.stop();
    },
  };
};
