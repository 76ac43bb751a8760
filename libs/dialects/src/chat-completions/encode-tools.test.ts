import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ToolChoiceSchema, ToolSchema } from '@witan/contracts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';
import { encodeToolChoice, encodeTools } from './encode-request.ts';

const find = create(ToolSchema, { name: 'find' });

const choose = (init: { mode: string; name?: string; parallel?: boolean }, tools = [find]) => {
  const dropped = createDroppedFields();
  const toolChoice = create(ToolChoiceSchema, init);
  return { output: encodeToolChoice({ toolChoice, tools }, dropped), dropped: dropped.names() };
};

describe('encodeTools', () => {
  it('preserves every field and the spelling of numbers', () => {
    const parameters = '{"type":"object","properties":{"n":{"maximum":12345678901234567890}}}';
    const tool = create(ToolSchema, { name: 'f', description: 'd', parameters, strict: false });
    expect(JSON.stringify(encodeTools([tool], createDroppedFields()))).toBe(
      '[{"type":"function","function":{"name":"f","description":"d",' +
        `"parameters":${parameters},"strict":false}}]`,
    );
  });

  it('omits unset fields, and returns undefined without tools', () => {
    expect(JSON.stringify(encodeTools([find], createDroppedFields()))).toBe(
      '[{"type":"function","function":{"name":"find"}}]',
    );
    expect(encodeTools([], createDroppedFields())).toBeUndefined();
  });

  it('reports prompt-cache marks as dropped', () => {
    const dropped = createDroppedFields();
    encodeTools([create(ToolSchema, { name: 'f', cacheControl: '{}' })], dropped);
    expect(dropped.names()).toEqual(['tools[].cache_control']);
  });

  it('refuses parameters that are not JSON, with their path', () => {
    const tools = [find, create(ToolSchema, { name: 'f', parameters: '{"a"' })];
    expect(() => encodeTools(tools, createDroppedFields())).toThrow(
      expect.objectContaining({ fields: { param: 'tools[1].input_schema' } }),
    );
  });
});

describe('encodeToolChoice', () => {
  it.each([
    [{ mode: 'auto' }, { tool_choice: 'auto' }],
    [{ mode: 'none' }, { tool_choice: 'none' }],
    [
      { mode: 'required', parallel: false },
      { tool_choice: 'required', parallel_tool_calls: false },
    ],
    [
      { mode: 'tool', name: 'find' },
      { tool_choice: { type: 'function', function: { name: 'find' } } },
    ],
  ])('encodes %j', (init, expected) => {
    expect(choose(init)).toEqual({ output: expected, dropped: [] });
  });

  it.each(['auto', 'none'])('reports the choice %s as dropped in a call without tools', (mode) => {
    expect(choose({ mode, parallel: true }, [])).toEqual({ output: {}, dropped: ['tool_choice'] });
  });

  it.each(['required', 'tool'])('refuses %s in a call without tools', (mode) => {
    expect(() => choose({ mode, name: 'find' }, [])).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param: 'tool_choice' } }),
    );
  });
});
