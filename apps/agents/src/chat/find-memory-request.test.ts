import { describe, expect, it } from '@jest/globals';
import { findMemoryRequest } from './find-memory-request.ts';

describe('findMemoryRequest', () => {
  it.each([
    [
      'Please remember: we have 911,000 euros of cash and spend 100,000 a month.',
      'we have 911,000 euros of cash and spend 100,000 a month.',
    ],
    ['Remember that we prefer short answers. What should we watch?', 'we prefer short answers.'],
    ["Hello! Don't forget that the audit is in May", 'the audit is in May'],
    ['Merke dir bitte, dass wir zwei Filialen haben.', 'wir zwei Filialen haben.'],
    ['Por favor, recuerda que somos doce personas.', 'somos doce personas.'],
    ['Retiens que nous avons deux magasins.', 'nous avons deux magasins.'],
    ['Remember: version 2.5 is out.', 'version 2.5 is out.'],
  ])('finds the request in %j', (message, value) => {
    expect(findMemoryRequest(message)).toMatchObject({ value, type: 'fact', isGlobal: false });
  });

  it.each([
    'Do you remember what we spend?',
    'Remember when we opened the shop?',
    'I remember that we spend too much.',
    'Remember me?',
    'How long does our cash last?',
    'Remember:',
    `${'x. '.repeat(1_000)}Remember that this was pasted.`,
  ])('finds none in %j', (message) => {
    expect(findMemoryRequest(message)).toBeUndefined();
  });

  it('gives the same key to the same request with other figures', () => {
    const keys = ['911,000', '800'].map(
      (cash) => findMemoryRequest(`Remember: we have ${cash} euros of cash.`)!.keyNorm,
    );
    expect(keys).toEqual(['euros_cash', 'euros_cash']);
  });

  it('takes linear time for a long message', () => {
    expect(findMemoryRequest('remember '.repeat(2 ** 16))).toBeDefined();
  });
});
