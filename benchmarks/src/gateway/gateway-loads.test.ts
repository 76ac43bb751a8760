import { describe, expect, it } from '@jest/globals';
import { planRows } from './gateway-loads.ts';

const plan = (choice: Partial<Parameters<typeof planRows>[0]>): string[] =>
  planRows({ loads: undefined, inFlight: undefined, ...choice }).map(
    ({ load, inFlight }) => `${load.name} ${inFlight}`,
  );

describe('planRows', () => {
  it('measures one call alone with plain completions, and every load of a full run busy', () => {
    expect(plan({})).toEqual([
      'chat-plain 1',
      'chat-plain 64',
      'chat-streamed 64',
      'personal-plain 64',
      'personal-streamed 64',
      'chat-plain-100k 64',
    ]);
  });

  it('measures other loads by name, busy unless another concurrency is chosen', () => {
    expect(plan({ loads: ['messages-plain'] })).toEqual(['messages-plain 64']);
    expect(plan({ loads: ['chat-plain', 'messages-plain'], inFlight: [16] })).toEqual([
      'chat-plain 16',
      'messages-plain 16',
    ]);
  });
});
