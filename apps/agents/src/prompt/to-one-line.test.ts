import { describe, expect, it } from '@jest/globals';
import { toOneLine } from './to-one-line.ts';

describe('toOneLine', () => {
  it('replaces each line break by a space', () => {
    expect(toOneLine('a\nb\r\nc\rd\u2028e\u2029f\u0085g\vh\fi')).toBe('a b c d e f g h i');
    expect(toOneLine('a\n\nb\n\r')).toBe('a  b  ');
  });
});
