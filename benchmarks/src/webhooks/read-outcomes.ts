import type { WebhookTestbed } from './open-webhook-testbed.ts';

/** Returns the number of delivery attempts by outcome, from the notifier's metrics. */
export const readOutcomes = async ({
  notifier,
}: WebhookTestbed): Promise<Record<string, number>> => {
  const answer = await fetch(`${notifier.ready.adminUrl}/metrics`);
  return parseOutcomes(await answer.text());
};

const OUTCOME = /^notifier_attempts_total\{outcome="(\w+)"\} (\d+)$/gm;

export const parseOutcomes = (registry: string): Record<string, number> =>
  Object.fromEntries(
    [...registry.matchAll(OUTCOME)].map(([, name, count]) => [name, Number(count)]),
  );
