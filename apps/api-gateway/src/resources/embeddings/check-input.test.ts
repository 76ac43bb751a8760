import { describe, expect, it } from '@jest/globals';
import { checkInput } from './check-input.ts';

describe('the input of embeddings', () => {
  it.each<[string, unknown]>([
    ['a text', 'a'],
    ['texts', ['a', 'b']],
    ['tokens', [1, 2, 4_294_967_295]],
    ['lists of tokens', [[1], [2, 3]]],
  ])('may be %s', (_name, input) => {
    expect(() => checkInput(input)).not.toThrow();
  });

  it.each<[string, unknown, string]>([
    ['an empty text', ['a', ''], 'input[1]'],
    ['a text and tokens', ['a', 1], 'input[1]'],
    ['tokens and a text', [1, 'a'], 'input[1]'],
    ['lists of tokens and a token', [[1], 2], 'input[1]'],
    ['an empty list of tokens', [[]], 'input[0]'],
    ['a broken token', [[1, 1.5]], 'input[0][1]'],
    ['a negative token', [-1], 'input[0]'],
    ['a token of more than 32 bits', [4_294_967_296], 'input[0]'],
    ['null', [null], 'input[0]'],
    ['an object', [{}], 'input[0]'],
    ['too many texts', Array.from({ length: 2_049 }, () => 'a'), 'input'],
    ['too many tokens', Array.from({ length: 32_769 }, () => 1), 'input'],
  ])('may not hold %s; the error names the item', (_name, input, param) => {
    expect(() => checkInput(input)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: expect.objectContaining({ param }),
      }),
    );
  });
});
