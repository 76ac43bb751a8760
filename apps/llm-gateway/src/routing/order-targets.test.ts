import { describe, expect, it } from '@jest/globals';
import { parseTarget, showTarget } from '../../test/route-settings.ts';
import { orderTargets } from './choose-route.ts';
import type { Target } from '../provider/provider.ts';

const list = (...texts: string[]): Target[] => texts.map(parseTarget);
const formatTargets = (targets: readonly Target[]): string => targets.map(showTarget).join(' ');
const WEIGHTED_TARGETS = list('a/m*1', 'b/m*2', 'c/m*7');

const countFirstTargets = (
  targets: readonly Target[],
  conversations: number,
): Map<string, number> => {
  const counts = new Map(targets.map(({ provider }) => [provider, 0]));
  for (let number = 0; number < conversations; number += 1) {
    const { provider } = orderTargets(targets, `conversation ${number}`)[0]!;
    counts.set(provider, counts.get(provider)! + 1);
  }
  return counts;
};

describe('orderTargets', () => {
  it('keeps the order of a list without weights', () => {
    const targets = list('a/m', 'b/m', 'c/m');
    for (let number = 0; number < 50; number += 1) {
      expect(orderTargets(targets, String(number))).toEqual(targets);
    }
  });

  it.each([
    ['unlike weights', WEIGHTED_TARGETS],
    ['equal weights', list('a/m*5', 'b/m*5', 'c/m*5', 'd/m*5')],
    ['a small share', list('a/m*1', 'b/m*999')],
  ])('starts at each target in proportion to %s', (_name, targets) => {
    const conversations = 20_000;
    const total = targets.reduce((sum, { weight }) => sum + weight, 0);
    const counts = countFirstTargets(targets, conversations);
    for (const { provider, weight } of targets) {
      const share = weight / total;
      // Five standard deviations of a binomial; a fair draw lies outside about once in two million.
      const tolerance = 5 * Math.sqrt(conversations * share * (1 - share));
      expect(Math.abs(counts.get(provider)! - conversations * share)).toBeLessThan(tolerance);
    }
  });

  it('never starts at a target without a weight if others have one', () => {
    const counts = countFirstTargets(list('a/m', 'b/m*1', 'c/m', 'd/m*1'), 2_000);
    expect(counts.get('a')).toBe(0);
    expect(counts.get('c')).toBe(0);
    expect(counts.get('b')! + counts.get('d')!).toBe(2_000);
  });

  it('starts the same conversation at the same target', () => {
    for (let number = 0; number < 100; number += 1) {
      const conversation = `conversation ${number}`;
      expect(orderTargets(WEIGHTED_TARGETS, conversation)).toEqual(
        orderTargets(WEIGHTED_TARGETS, conversation),
      );
    }
  });

  it('returns every target once, the others in the order of the list', () => {
    const orders = new Set(
      Array.from({ length: 200 }, (_, number) =>
        formatTargets(orderTargets(WEIGHTED_TARGETS, String(number))),
      ),
    );
    expect([...orders].toSorted()).toEqual(['a/m b/m c/m', 'b/m a/m c/m', 'c/m a/m b/m']);
  });

  it('does not change the given list', () => {
    const before = formatTargets(WEIGHTED_TARGETS);
    for (let number = 0; number < 20; number += 1)
      orderTargets(WEIGHTED_TARGETS, String(number)).reverse();
    expect(formatTargets(WEIGHTED_TARGETS)).toBe(before);
  });
});
