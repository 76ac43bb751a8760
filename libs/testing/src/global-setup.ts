import { sweepTestNats } from './nats/sweep-test-nats.ts';
import { startRunPostgres } from './postgres/start-run-postgres.ts';

/**
 * Passed to the global teardown through `globalThis`: Jest loads the two files as separate module
 * instances.
 */
export type StopRun = () => Promise<void>;

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

export default async function globalSetup(): Promise<void> {
  await sweepTestNats(log);
  const stop: StopRun = await startRunPostgres(log);
  Object.assign(globalThis, { witanStopTestRun: stop });
}
