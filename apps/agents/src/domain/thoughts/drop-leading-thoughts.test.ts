import { describe, expect, it } from '@jest/globals';
import { dropLeadingThoughts } from './drop-leading-thoughts.ts';

describe('dropLeadingThoughts', () => {
  it.each([
    ['thoughts before an object', '<think>{"a":1}?</think>{"a":2}', '{"a":2}'],
    ['thoughts by another name', '\n<Thinking>so</Thinking>{}', '{}'],
    ['thoughts that never end', '<think>{"a":1}', ''],
  ])('drops %s', (_name, text, rest) => {
    expect(dropLeadingThoughts(text).trim()).toBe(rest);
  });

  it.each([
    ['an object that speaks of tags', '{"a":"open a <think> block"}'],
    ['prose', 'I think <b>so</b>.'],
    ['nothing', ''],
  ])('leaves %s as it is', (_name, text) => {
    expect(dropLeadingThoughts(text)).toBe(text);
  });
});
