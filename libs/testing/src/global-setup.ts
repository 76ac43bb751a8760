import { sweepTestNats } from './nats/test-nats-home.ts';
import { startRunPostgres } from './postgres/start-run-postgres.ts';

/**
 * Stops what the global set-up started. Stored in `globalThis`, because Jest loads the set-up and
 * the teardown as separate module instances.
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
