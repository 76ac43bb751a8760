import { hash } from 'node:crypto';
import type { Target } from './target.ts';

/**
 * The targets in the order to try them. Without weights that is the list's own. With weights the
 * first one is drawn by them, from a hash of the conversation: its later turns begin at the same
 * target, where the provider's prompt cache and its sealed reasoning are, without any memory of
 * ours. The others follow in the list's order, each once.
 */
export const orderTargets = (targets: readonly Target[], conversation: string): Target[] => {
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return [...targets];
  let left = drawBelow(total, conversation);
  const first = targets.find(({ weight }) => (left -= weight) < 0)!;
  return [first, ...targets.filter((target) => target !== first)];
};

/** A number from 0 to below `limit`, the same for the same text. */
const drawBelow = (limit: number, text: string): number =>
  Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16) % limit;
