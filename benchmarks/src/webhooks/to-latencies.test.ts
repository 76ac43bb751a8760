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
  it('counts from the commit of a fact to the POST of the delivery that it became', () => {
    const arrivals = [arrival('dlv_2', 207), arrival('dlv_1', 109)];
    expect(toLatencies(EVENTS, LOGGED, { arrivals })).toEqual([9, 7]);
  });

  it('refuses a fact whose POST did not come', () => {
    const arrivals = [arrival('dlv_2', 207)];
    expect(() => toLatencies(EVENTS, LOGGED, { arrivals })).toThrow('Fact fact-1 did not come.');
  });
});
