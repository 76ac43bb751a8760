import type { RunCommand } from '../run-command.ts';

export const ENGINES = ['buildah', 'docker'] as const;
export type Engine = (typeof ENGINES)[number];

/** A command that succeeds only if the engine can build; the Docker client alone cannot. */
const PROBES: Readonly<Record<Engine, readonly string[]>> = {
  buildah: ['info'],
  docker: ['info'],
};

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
      await run(engine, PROBES[engine]);
      return engine;
    } catch (error) {
      const [first = ''] = (error instanceof Error ? error.message : '').split('\n').slice(-2);
      reasons.push(`  ${engine}: ${first}`);
    }
  }
  const advice = 'Install buildah (apt-get install buildah) or Docker Engine.';
  throw new Error(`No container engine works. ${advice}\n${reasons.join('\n')}`);
};
