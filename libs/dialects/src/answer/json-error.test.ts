import { describe, expect, it } from '@jest/globals';
import { toRetryInstruction } from './read-json-answer.ts';
import type { JsonError } from './read-json-answer.ts';

describe('toRetryInstruction', () => {
  it.each<[JsonError, string]>([
    [{ kind: 'no-object' }, 'it held no JSON object'],
    [{ kind: 'cut-off' }, 'it was cut off before its end; say the same in fewer words'],
    [
      { kind: 'malformed', problem: 'a key without its colon', line: 3, column: 6 },
      'it is not valid JSON (line 3, column 6: a key without its colon)',
    ],
    [
      { kind: 'missing-fields', names: ['a', 'b "c"'] },
      String.raw`these fields are missing: "a", "b \"c\""`,
    ],
  ])('states the problem and what to do: $kind', (error, instruction) => {
    expect(toRetryInstruction(error)).toBe(
      `Your last answer could not be used: ${instruction}. Answer again with the whole JSON object and ` +
        'nothing else: no text around it, no code fence.',
    );
  });
});
