import { describe, expect, it } from '@jest/globals';
import { toLatencies } from './to-latencies.ts';

const LOGGED = ['1', '2'].map((number) => ({
  id: `dlv_${number}`,
  eventId: `fact-${number}`,
  state: 'delivered',
  attempts: 1,
}));
const arrival = (delivery: string, atMs: number) => ({ path: '', delivery, attempt: '', atMs });
const EVENTS = [
  { id: 'fact-1', committedAtMs: 100 },
  { id: 'fact-2', committedAtMs: 200 },
];

describe('toLatencies', () => {
  it('measures from the commit of an event to the POST of its delivery', () => {
    const arrivals = [arrival('dlv_2', 207), arrival('dlv_1', 109)];
    expect(toLatencies(EVENTS, LOGGED, { arrivals })).toEqual([9, 7]);
  });

  it('throws if an event has no POST', () => {
    const arrivals = [arrival('dlv_2', 207)];
    expect(() => toLatencies(EVENTS, LOGGED, { arrivals })).toThrow('Fact fact-1 did not come.');
  });
});
