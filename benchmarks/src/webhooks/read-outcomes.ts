import type { Stage } from './open-stage.ts';

/** How all attempts of the notifier have ended until now, by its own count. */
export const readOutcomes = async ({ notifier }: Stage): Promise<Record<string, number>> => {
  const answer = await fetch(`${notifier.ready.adminUrl}/metrics`);
  return parseOutcomes(await answer.text());
};

const OUTCOME = /^notifier_attempts_total\{outcome="(\w+)"\} (\d+)$/gm;

/** From the text of the metrics. */
export const parseOutcomes = (registry: string): Record<string, number> =>
  Object.fromEntries(
    [...registry.matchAll(OUTCOME)].map(([, name, count]) => [name, Number(count)]),
  );
