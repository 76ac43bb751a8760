import { describe, expect, it } from '@jest/globals';
import { readRequest } from './request.ts';

const messages = [{ role: 'user', content: 'hi' }];

describe('readRequest', () => {
  it('reads a request', () => {
    expect(readRequest({ model: 'gpt-5', messages })).toEqual({
      model: 'gpt-5',
      streamed: false,
      wantsUsage: false,
      choices: 1,
      outputLimits: {},
      samplingNames: [],
      reasoningEffort: '',
    });
  });

  it('reads both output limits, tools and stream options', () => {
    const body = {
      model: 'gpt-5',
      messages,
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      tools: [{ type: 'function' }],
      max_tokens: 5,
      max_completion_tokens: 7,
      temperature: 0,
      top_p: null,
      reasoning_effort: 'low',
    };
    expect(readRequest(body)).toEqual({
      model: 'gpt-5',
      streamed: true,
      wantsUsage: true,
      choices: 1,
      outputLimits: { max_tokens: 5, max_completion_tokens: 7 },
      samplingNames: ['temperature'],
      reasoningEffort: 'low',
    });
  });

  it.each([
    ['stream as a string', { stream: 'true' }],
    ['stream options that are a list', { stream_options: [true] }],
    ['stream options that are null', { stream_options: null }],
    ['include_usage as a number', { stream_options: { include_usage: 1 } }],
    ['no tools', { tools: [] }],
    ['tools that are null', { tools: null }],
    ['limits that are null', { max_tokens: null, max_completion_tokens: null }],
    ['a model that is a number', { model: 5 }],
  ])('counts %s as absent', (_name, body) => {
    expect(readRequest(body)).toMatchObject({
      streamed: false,
      wantsUsage: false,
      outputLimits: {},
      model: '',
    });
  });

  it.each([
    [2, 2],
    [1, 1],
    [0, 1],
    [-3, 1],
    ['2', 1],
    [1e300, 1_000],
  ])('reads n: %j as %d choices', (n, choices) => {
    expect(readRequest({ model: 'gpt-5', messages, n }).choices).toBe(choices);
  });
});
