import { describe, expect, it } from '@jest/globals';
import { FULL } from '../preset.ts';
import { planRows } from './gateway-loads.ts';

const EVERYTHING = { loads: undefined, inFlight: undefined };
const meteredOf = (choice: Parameters<typeof planRows>[1]): string[] =>
  planRows(FULL, choice)
    .filter(({ isAlsoMetered }) => isAlsoMetered)
    .map(({ load, inFlight }) => `${load.name} ${inFlight}`);

describe('planRows', () => {
  it('measures metered systems with two loads, at one concurrency', () => {
    expect(meteredOf(EVERYTHING)).toEqual(['chat-plain 64', 'chat-streamed 64']);
  });

  it('measures metered systems at any chosen concurrency, and with no other loads', () => {
    const loads = ['chat-plain', 'messages-plain'];
    expect(meteredOf({ loads, inFlight: [16] })).toEqual(['chat-plain 16']);
    expect(meteredOf({ loads: ['messages-plain'], inFlight: undefined })).toEqual([]);
  });
});
