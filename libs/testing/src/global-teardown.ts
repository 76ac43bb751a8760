import type { StopRun } from './global-setup.ts';

export default async function globalTeardown(): Promise<void> {
  const { witanStopTestRun } = globalThis as { witanStopTestRun?: StopRun };
  await witanStopTestRun?.();
}
