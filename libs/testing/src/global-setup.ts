import { sweepTestNats } from './nats/sweep-test-nats.ts';
import { startRunPostgres } from './postgres/start-run-postgres.ts';

/** Stops what the set-up started. Jest loads the files apart: the process is what they share. */
export type StopRun = () => Promise<void>;

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Jest's global set-up: the servers that all test files share. Jest wants a default export. */
export default async function globalSetup(): Promise<void> {
  await sweepTestNats(log);
  const stop: StopRun = await startRunPostgres(log);
  Object.assign(globalThis, { witanStopTestRun: stop });
}
