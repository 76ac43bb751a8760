import { exportServer, readTemplateName, readTestPostgresConfig } from './config.ts';
import { dropTestDatabase, newDatabaseName } from './make-test-database.ts';
import { openPostgresContainer } from './open-postgres-container.ts';
import { openTestPostgres } from './open-test-postgres.ts';
import { sweepTestPostgres } from './sweep-test-postgres.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Makes one database server available to every test file of a run, and returns what stops it:
 * a given one (`DATABASE_URL`, or an outer run's), one in a container when `WITAN_TEST_CONTAINERS`
 * is 1 and an engine answers, else an embedded one without durability.
 */
export async function startRunPostgres(log: (line: string) => void): Promise<() => Promise<void>> {
  const { adminUrl, wantsContainers } = readTestPostgresConfig();
  if (adminUrl !== undefined) {
    // An outer run has one.
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
    log('WITAN_TEST_CONTAINERS is 1 and no container engine answers: using embedded PostgreSQL.');
  }
  return startEmbedded(log);
}

async function startEmbedded(log: (line: string) => void): Promise<() => Promise<void>> {
  await sweepTestPostgres(log);
  const server = await openTestPostgres();
  const forget = endWithThisProcess(server.pid);
  exportServer(server.url, newDatabaseName());
  return async () => {
    forget();
    await server[Symbol.asyncDispose]();
  };
}

/**
 * Jest runs no teardown when it is interrupted or exits early. The server is told to end at once
 * then; the next run deletes its folder.
 */
function endWithThisProcess(pid: number): () => void {
  const end = (): void => {
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // It ended before us, and nobody is left to tell.
    }
  };
  const endOnSignal = (signal: NodeJS.Signals): void => {
    end();
    forget();
    process.kill(process.pid, signal);
  };
  const forget = (): void => {
    process.off('exit', end);
    for (const signal of STOP_SIGNALS) process.off(signal, endOnSignal);
  };
  process.once('exit', end);
  for (const signal of STOP_SIGNALS) process.once(signal, endOnSignal);
  return forget;
}
