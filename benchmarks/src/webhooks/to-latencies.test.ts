import { describe, expect, it } from '@jest/globals';
import { toLatencies } from './to-latencies.ts';

const SELECT_DELIVERIES = ['1', '2'].map((number) => ({
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
    expect(toLatencies(EVENTS, SELECT_DELIVERIES, { arrivals })).toEqual([9, 7]);
  });

  it('throws if an event has no POST', () => {
    const arrivals = [arrival('dlv_2', 207)];
    expect(() => toLatencies(EVENTS, SELECT_DELIVERIES, { arrivals })).toThrow(
      'Event fact-1 has no POST.',
    );
  });
});
