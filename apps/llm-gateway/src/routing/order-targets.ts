import { hash } from 'node:crypto';
import type { Target } from '../provider/target.ts';

/**
 * Returns the targets in the order of attempts. Without weights that is the list's order. With
 * weights the first one is drawn by a hash of the conversation, so that later turns start at the
 * same target, which has the prompt cache and signed reasoning, without stored state. The others
 * follow in the list's order.
 */
export const orderTargets = (targets: readonly Target[], conversation: string): Target[] => {
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return [...targets];
  let remaining = drawNumber(total, conversation);
  const first = targets.find(({ weight }) => (remaining -= weight) < 0)!;
  return [first, ...targets.filter((target) => target !== first)];
};

const drawNumber = (limit: number, text: string): number =>
  Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16) % limit;
