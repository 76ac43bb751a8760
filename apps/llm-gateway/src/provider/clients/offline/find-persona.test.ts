import { describe, expect, it } from '@jest/globals';
import { answerOffline } from './answer-offline.ts';
import { findPersona } from './find-persona.ts';

const answerTo = (system: string, question: string): string =>
  answerOffline({
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: question },
    ],
  }).choices[0]!.message.content!;

describe('findPersona', () => {
  it.each([
    ['a name', 'You are Ann, an adviser.', 'Ann'],
    ['several words', 'Be brief. You are Ann-Marie O’Neil Lee.', 'Ann-Marie O’Neil Lee'],
    ['another script', 'You are 王芳, an adviser.', '王芳'],
    ['a role', 'You are the desk of a shoe shop.', ''],
    ['a name that continues', 'You are Kestrel’s travel agent.', ''],
    ['no persona', 'Returns take 30 days.', ''],
  ])('reads the instructions: %s', (_name, text, expected) => {
    expect(findPersona([{ speaker: 'instructions', text, isFresh: false }])).toBe(expected);
    expect(findPersona([{ speaker: 'user', text, isFresh: false }])).toBe('');
  });

  it('finds the name that the answer shows beside the offline provider', () => {
    const rules = '--- CONTEXT: Rules ---\nReturns take 30 days.\n--- END CONTEXT ---';
    const text = answerTo(`You are Ann, an adviser.\n${rules}`, 'How long do returns take?');
    expect(text).toContain('From the context “Rules”: Returns take 30 days.');
    expect(text).toContain('offline provider answering without a model, in the place of Ann:');
    expect(answerTo('You are Ann, an adviser.', 'Why?')).toContain(
      'in the place of Ann: it can only',
    );
  });
});

describe('tags in the instructions', () => {
  it.each([
    [
      'with attributes',
      'To remember a city write it as <MEMORY key="city" type="fact">Basel</MEMORY>.',
    ],
    ['at the beginning', '<MEMORY key="city">A city to remember.</MEMORY>'],
    ['without attributes', 'Reason about the city between <thinking> and </thinking> to remember.'],
  ])('are not in the answer: %s', (_name, rule) => {
    const text = answerTo(`You are Ann, an adviser.\n${rule}`, 'Which city do you remember?');
    expect(text).not.toMatch(/<\w/);
  });
});
