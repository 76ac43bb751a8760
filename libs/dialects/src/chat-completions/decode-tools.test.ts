import { describe, expect, it } from '@jest/globals';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';

const tool = (declared: object, extra: object = {}): object => ({
  type: 'function',
  function: { name: 'f', ...declared },
  ...extra,
});

const expectRefusal = (run: () => unknown, param: string): void => {
  expect(run).toThrow(
    expect.objectContaining({
      reason: 'INVALID_REQUEST',
      fields: expect.objectContaining({ param }),
    }),
  );
};

describe('decodeTools', () => {
  it('decodes every field of a function, and reports unknown ones', () => {
    const dropped = createDroppedFields();
    const parameters = { type: 'object', properties: { b: {}, a: {} } };
    const declared = { description: 'd', parameters, strict: true, examples: [] };
    const extra = { cache_control: { type: 'ephemeral' }, defer_loading: true };
    expect(decodeTools([tool(declared, extra), tool({})], dropped)).toEqual([
      {
        name: 'f',
        description: 'd',
        parameters: '{"type":"object","properties":{"b":{},"a":{}}}',
        strict: true,
        cacheControl: '{"type":"ephemeral"}',
      },
      { name: 'f', description: '', parameters: '', strict: undefined, cacheControl: '' },
    ]);
    expect(dropped.names()).toEqual(['tools[].defer_loading', 'tools[].function.examples']);
  });

  it.each([
    [[tool({}), { type: 'custom', custom: { name: 'c' } }], 'tools[1].type'],
    [[{ function: { name: 'f' } }], 'tools[0].type'],
    [['f'], 'tools[0]'],
    [[{ type: 'function' }], 'tools[0].function'],
    [[tool({ name: '' })], 'tools[0].function.name'],
    [[tool({ description: 5 })], 'tools[0].function.description'],
    [[tool({ parameters: 'x' })], 'tools[0].function.parameters'],
    [[tool({ strict: 'yes' })], 'tools[0].function.strict'],
    [[tool({}, { cache_control: 'x' })], 'tools[0].cache_control'],
  ])('refuses %j with its path', (value, param) => {
    expectRefusal(() => decodeTools(value, createDroppedFields()), param);
  });
});

describe('decodeToolChoice', () => {
  it.each([
    ['nothing', {}, undefined],
    ['auto', { tool_choice: 'auto' }, { mode: 'auto' }],
    ['none', { tool_choice: 'none' }, { mode: 'none' }],
    ['required', { tool_choice: 'required' }, { mode: 'required' }],
    [
      'one function',
      { tool_choice: { type: 'function', function: { name: 'f' } } },
      { mode: 'tool', name: 'f' },
    ],
    ['one call at most', { parallel_tool_calls: false }, { mode: 'auto', parallel: false }],
    [
      'a mode with parallel calls',
      { tool_choice: 'required', parallel_tool_calls: true },
      { mode: 'required', parallel: true },
    ],
  ])('decodes %s', (_name, body, expected) => {
    expect(decodeToolChoice(body, createDroppedFields())).toEqual(expected);
  });

  it.each([
    ['any', 'tool_choice'],
    [['auto'], 'tool_choice'],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } }, 'tool_choice.type'],
    [{ type: 'custom', custom: { name: 'c' } }, 'tool_choice.type'],
    [{ type: 'function' }, 'tool_choice.function'],
    [{ type: 'function', function: {} }, 'tool_choice.function.name'],
  ])('refuses %j with its path', (value, param) => {
    expectRefusal(() => decodeToolChoice({ tool_choice: value }, createDroppedFields()), param);
  });
});
