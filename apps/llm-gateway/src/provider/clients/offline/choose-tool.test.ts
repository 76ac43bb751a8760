import { describe, expect, it } from '@jest/globals';
import { chooseTool } from './choose-tool.ts';

const weather = {
  type: 'function',
  function: { name: 'get_weather', description: 'Forecast for a city' },
};
const shipping = {
  type: 'function',
  function: {
    name: 'quote',
    description: 'Estimates the cost of shipping a parcel',
    parameters: { type: 'object', properties: { weight: { type: 'number' } } },
  },
};
const tools = [weather, shipping];

const choose = (question: string, body: object = {}): string | undefined =>
  chooseTool({ tools, ...body }, question)?.name;

describe('chooseTool', () => {
  it('calls the function whose name occurs in the question', () => {
    expect(choose("What's the weather in Rome?")).toBe('get_weather');
  });

  it('calls a function if two words of its description occur in the question', () => {
    expect(choose('What does shipping a parcel to Oslo cost?')).toBe('quote');
  });

  it('calls no function for a question without a clear match', () => {
    expect(choose('Which city did you grow up in?')).toBeUndefined();
  });

  it.each<[string, unknown, string | undefined]>([
    ['none', 'none', undefined],
    ['required', 'required', 'get_weather'],
    ['a name', { type: 'function', function: { name: 'quote' } }, 'quote'],
    ['an unknown name', { type: 'function', function: { name: 'other' } }, undefined],
    [
      'allowed tools',
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [shipping] } },
      'quote',
    ],
    ['a number', 5, undefined],
  ])('follows tool_choice: %s', (_name, choice, expected) => {
    expect(choose('Hello there', { tool_choice: choice })).toBe(expected);
  });

  it.each([[null], ['x'], [[null, 3, {}, { function: null }, { function: { name: 3 } }]]])(
    'ignores tools such as %j',
    (invalid) => {
      expect(chooseTool({ tools: invalid, tool_choice: 'required' }, 'weather?')).toBeUndefined();
    },
  );
});
