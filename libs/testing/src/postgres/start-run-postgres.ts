import { exportServer, readTemplateName, readTestPostgresConfig } from '../config.ts';
import { dropTestDatabase, newDatabaseName } from './create-test-database.ts';
import { openPostgresContainer } from './open-postgres-container.ts';
import { openTestPostgres } from './open-test-postgres.ts';
import { sweepTestPostgres } from './test-server-home.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Provides one database server for all test files of a run and returns a function that releases it.
 * In order of preference it uses an existing server (`DATABASE_URL` or the server of an outer run),
 * a container if `WITAN_TEST_CONTAINERS` is 1, or an embedded server without durability.
 */
export async function startRunPostgres(log: (line: string) => void): Promise<() => Promise<void>> {
  const { adminUrl, wantsContainers } = readTestPostgresConfig();
  if (adminUrl !== undefined) {
    // Drops nothing at the end, because the template belongs to an outer run.
    if (readTemplateName() !== undefined) return async () => undefined;
    const template = newDatabaseName();
    exportServer(adminUrl, template);
    return () => dropTestDatabase(adminUrl, template);
  }
  if (wantsContainers) {
    const container = await openPostgresContainer();
    if (container !== undefined) {
      exportServer(container.url, newDatabaseName());
      return container.stop;
    }
    log(
      'WITAN_TEST_CONTAINERS is 1 but no container engine is running: using embedded PostgreSQL.',
    );
  }
  return startEmbedded(log);
}

async function startEmbedded(log: (line: string) => void): Promise<() => Promise<void>> {
  await sweepTestPostgres(log);
  const server = await openTestPostgres();
  const removeListeners = stopOnExit(server.pid);
  exportServer(server.url, newDatabaseName());
  return async () => {
    removeListeners();
    await server[Symbol.asyncDispose]();
  };
}

/**
 * Stops the server by a signal when this process exits or receives a stop signal, because Jest
 * skips the teardown when it is interrupted or exits early. The server's directory
 * remains until the next run deletes it. Returns a function that removes the listeners.
 */
function stopOnExit(pid: number): () => void {
  const stopServer = (): void => {
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // The server has already exited.
    }
  };
  const quitOnSignal = (signal: NodeJS.Signals): void => {
    stopServer();
    removeListeners();
    process.kill(process.pid, signal);
  };
  const removeListeners = (): void => {
    process.off('exit', stopServer);
    for (const signal of STOP_SIGNALS) process.off(signal, quitOnSignal);
  };
  process.once('exit', stopServer);
  for (const signal of STOP_SIGNALS) process.once(signal, quitOnSignal);
  return removeListeners;
}
