import { describe, expect, it } from '@jest/globals';
import { editMembers } from '../json/json-text.ts';
import { toEgressEdits, insertPreamble, readRequest } from './request.ts';

const messages = [{ role: 'user', content: 'hi' }];

describe('readRequest', () => {
  it('reads a request; every stream has usage', () => {
    expect(readRequest({ model: 'claude-opus-5', messages })).toEqual({
      model: 'claude-opus-5',
      streamed: false,
      wantsUsage: true,
      choices: 1,
      outputLimits: {},
      samplingNames: [],
      reasoningEffort: '',
    });
  });

  it('reads the output limit, tools, the stream and the thinking budget', () => {
    const body = {
      model: 'claude-opus-5',
      messages,
      stream: true,
      tools: [{ name: 'f' }],
      max_tokens: 5000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
    };
    expect(readRequest(body)).toMatchObject({
      streamed: true,
      outputLimits: { max_tokens: 5000 },
      thinkingBudget: 2000,
    });
  });

  it.each([
    ['stream as a string', { stream: 'true' }],
    ['no tools', { tools: [] }],
    ['a limit that is null', { max_tokens: null }],
    ['a limit as a string', { max_tokens: '5' }],
    ['a model that is a number', { model: 5 }],
    ['disabled thinking', { thinking: { type: 'disabled', budget_tokens: 2000 } }],
    ['a budget as a string', { thinking: { type: 'enabled', budget_tokens: '2000' } }],
  ])('counts %s as absent', (_name, body) => {
    expect(readRequest(body)).toEqual(readRequest({}));
  });
});

describe('toEgressEdits', () => {
  const applyEdits = (source: string, maxOutputTokens = 16_000): string => {
    const target = { model: 'claude-opus-5', maxOutputTokens };
    return editMembers(source, toEgressEdits(readRequest(JSON.parse(source)), target).edits);
  };
  const thinking = (limit: number, budget: number): string =>
    `{"model":"claude-opus-5", "max_tokens":${limit}, ` +
    `"thinking":{"type":"enabled","budget_tokens":${budget},"display":"omitted"}}`;

  it.each([
    ['a body that needs nothing', '{"model":"claude-opus-5","max_tokens":1.6e4, "x":1.0}'],
    ['a body without a limit', '{"model":"claude-opus-5"}'],
    ['a budget below its limit', thinking(16_000, 15_999)],
    ['a budget above its limit, which the provider refuses', thinking(2000, 3000)],
  ])('does not change %s', (_name, source) => {
    expect(applyEdits(source)).toBe(source);
  });

  it.each([
    ['the name of the model', '{"model":"auto", "n":1.0}', '{"model":"claude-opus-5", "n":1.0}'],
    [
      "the flag after the client's model name",
      '{"model":"claude-opus-5+knowledge", "temperature":0.2, "max_tokens":100}',
      '{"model":"claude-opus-5", "temperature":0.2, "max_tokens":100}',
    ],
    [
      'parameters that a chosen model refuses, and its limit',
      '{"model":"auto", "temperature":0.2, "max_tokens":100, "top_k":5}',
      '{"model":"claude-opus-5", "max_tokens":8100}',
    ],
    [
      'the limit of a chosen model, by the requested effort',
      '{"model":"auto", "max_tokens":100, "output_config":{"effort":"low"}}',
      '{"model":"claude-opus-5", "max_tokens":4100, "output_config":{"effort":"low"}}',
    ],
    [
      'no limit that leaves room for the requested thinking',
      '{"model":"auto", "max_tokens":4000, "thinking":{"type":"enabled","budget_tokens":2000}}',
      '{"model":"claude-opus-5", "max_tokens":4000, "thinking":{"type":"enabled","budget_tokens":2000}}',
    ],
    [
      'a limit above the cap',
      '{"model":"claude-opus-5", "max_tokens":64000}',
      '{"model":"claude-opus-5", "max_tokens":16000}',
    ],
    ['a limit, but not a budget below it', thinking(64_000, 9000), thinking(16_000, 9000)],
    [
      'a budget that leaves no tokens for the answer',
      thinking(64_000, 32_000),
      thinking(16_000, 12_000),
    ],
  ])('edits %s and changes nothing else', (_name, source, expected) => {
    expect(applyEdits(source)).toBe(expected);
  });

  it("sets a thinking budget between the providers' minimum and the limit", () => {
    expect(applyEdits(thinking(64_000, 32_000), 1200)).toBe(thinking(1200, 1024));
    expect(applyEdits(thinking(64_000, 32_000), 1024)).toBe(
      '{"model":"claude-opus-5", "max_tokens":1024, "thinking":{"type":"disabled"}}',
    );
  });
});

describe('insertPreamble', () => {
  it.each([
    ['no instructions', '{"a":1.0}', '{"a":1.0,"system":"P\\n"}'],
    ['null', '{"system":null ,"a":1}', '{"system":"P\\n" ,"a":1}'],
    ['a blank text', '{"system":" \\n"}', '{"system":"P\\n"}'],
    [
      'a text',
      '{ "system" : "be \\u00fc]" }',
      '{ "system" : [{"type":"text","text":"be \\u00fc]"},{"type":"text","text":"P\\n"}] }',
    ],
    ['an empty list', '{"system":[ ]}', '{"system":[ {"type":"text","text":"P\\n"}]}'],
    [
      'a list with a cache mark',
      '{"system":[{"type":"text","text":"a]","cache_control":{"type":"ephemeral"}} ], "b":2}',
      '{"system":[{"type":"text","text":"a]","cache_control":{"type":"ephemeral"}} ' +
        ',{"type":"text","text":"P\\n"}], "b":2}',
    ],
    [
      'the last of duplicate members',
      '{"system":"a","b":1,"system":[{"type":"text","text":"b"}]}',
      '{"system":[{"type":"text","text":"b"},{"type":"text","text":"P\\n"}],"b":1,' +
        '"system":[{"type":"text","text":"b"},{"type":"text","text":"P\\n"}]}',
    ],
    [
      'a value that is neither text nor list',
      '{"system":{"text":"a"}}',
      '{"system":[{"text":"a"},{"type":"text","text":"P\\n"}]}',
    ],
  ])('inserts the preamble after %s', (_name, source, expected) => {
    expect(insertPreamble(source, 'P\n')).toBe(expected);
  });

  it('changes nothing if the preamble is empty', () => {
    expect(insertPreamble('{"a":1}', '')).toBe('{"a":1}');
  });
});
