import type { RunCommand } from '../run-command.ts';

export const ENGINES = ['buildah', 'docker'] as const;
export type Engine = (typeof ENGINES)[number];

/**
 * Returns the wanted engine, or the first one that works. Throws with the reason of each if none
 * does.
 */
export const findEngine = async (run: RunCommand, wanted?: string): Promise<Engine> => {
  const candidates = ENGINES.filter((one) => wanted === undefined || one === wanted);
  if (candidates.length === 0) {
    throw new Error(`There is no engine ${wanted}; there are ${ENGINES.join(' and ')}.`);
  }
  const reasons: string[] = [];
  for (const engine of candidates) {
    try {
      // Fails for a Docker client without a daemon.
      await run(engine, ['info']);
      return engine;
    } catch (error) {
      const message = Error.isError(error) ? error.message.trim() : '';
      reasons.push(`  ${engine}: ${message.split('\n').at(-1)}`);
    }
  }
  const advice = 'Install buildah (apt-get install buildah) or Docker Engine.';
  throw new Error(`No container engine works. ${advice}\n${reasons.join('\n')}`);
};
