import type { StopRun } from './global-setup.ts';

/** Jest's global teardown: stops what the set-up started, if it got that far. */
export default async function globalTeardown(): Promise<void> {
  const { witanStopTestRun } = globalThis as { witanStopTestRun?: StopRun };
  await witanStopTestRun?.();
}
