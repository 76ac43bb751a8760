import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isServiceError } from '@witan/contracts';
import { refusalOf } from '../../test/refusal-of.ts';
import type { JsonObject } from '../json/json-value.ts';
import { responses } from './dialect.ts';

const decode = (body: JsonObject) => responses.decodeRequest({ model: 'm', input: 'hi', ...body });
const refusal = (body: JsonObject) => refusalOf(() => decode(body));
const unsupported = (param: string) => ({ param, code: 'unsupported_parameter' });

describe('a responses body', () => {
  it('becomes instructions, turns and calls', () => {
    const { conversation, dropped } = decode({
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'And polite.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"at":1.0}' },
        { type: 'function_call_output', call_id: 'c1', output: 'Sun' },
        { type: 'message', role: 'user', content: 'Thanks' },
      ],
    });
    expect(dropped).toEqual([]);
    expect(conversation.system.map(({ text }) => text)).toEqual(['Be brief.', 'And polite.']);
    expect(conversation.turns.map(({ role, parts }) => [role, ...parts.map(brief)])).toEqual([
      ['user', 'text Weather?'],
      ['assistant', 'reasoning witan-responses:rs_1:gAAA', 'toolCall c1 {"at":1.0}'],
      ['user', 'toolResult c1', 'text Thanks'],
    ]);
  });

  const brief = ({ part }: { part: { case: string | undefined; value?: unknown } }): string => {
    const { text, signature, id, arguments: args, toolCallId } = (part.value ?? {}) as JsonObject;
    return [part.case, signature || text, id, args, toolCallId].filter(Boolean).join(' ');
  };

  it('has sampling, a format and a choice of tools', () => {
    const schema = { type: 'object' };
    const { conversation } = decode({
      max_output_tokens: 20,
      temperature: 0.1,
      reasoning: { effort: 'high' },
      safety_identifier: 'u1',
      text: { format: { type: 'json_schema', name: 'n', schema, strict: true } },
      tools: [{ type: 'function', name: 'f', parameters: schema, strict: null }],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
    });
    expect(conversation).toMatchObject({
      sampling: { maxOutputTokens: 20, temperature: 0.1, reasoningEffort: 'high', user: 'u1' },
      responseFormat: { kind: 'json_schema', name: 'n', schema: '{"type":"object"}', strict: true },
      tools: [{ name: 'f', parameters: '{"type":"object"}' }],
      toolChoice: { mode: 'tool', name: 'f', parallel: false },
    });
  });

  it('has the functions of namespaces among its tools', () => {
    const tools = [
      { type: 'function', name: 'f' },
      {
        type: 'namespace',
        name: 'n',
        description: 'All',
        tools: [{ type: 'function', name: 'g' }],
      },
    ];
    const { conversation, dropped } = decode({ tools });
    expect(conversation.tools.map(({ name }) => name)).toEqual(['f', 'g']);
    expect(dropped).toEqual(['tools[].description']);
  });

  it('is refused if two functions differ in their namespace only', () => {
    const toTool = (name: string) => ({
      ...{ type: 'namespace', name },
      tools: [{ type: 'function', name: 'g' }],
    });
    expect(refusal({ tools: [toTool('a'), toTool('b')] })).toEqual(
      unsupported('tools[1].tools[0].name'),
    );
  });

  it.each([
    ...['web_search', 'file_search', 'mcp', 'code_interpreter', 'image_generation', 'custom'],
  ])('is refused by name with the tool %s of a provider', (type) => {
    expect(refusal({ tools: [{ type: 'function', name: 'f' }, { type }] })).toEqual(
      unsupported('tools[1].type'),
    );
    expect(() => decode({ tools: [{ type }] })).toThrow(`"${type}"`);
  });

  it.each([
    ['previous_response_id', 'resp_1'],
    ['conversation', 'conv_1'],
    ['prompt', { id: 'p' }],
    ['background', true],
    ['moderation', { model: 'm' }],
    ['top_logprobs', 2],
    ['include', ['message.output_text.logprobs']],
  ])('is refused with %s, which changes the answer', (name, value) => {
    expect(refusal({ [name]: value })).toEqual(unsupported(name));
    expect(decode({ [name]: null }).dropped).toEqual([]);
  });

  it.each([
    ['input[0].type', { input: [{ type: 'web_search_call', id: 'a' }] }],
    ['input[0].type', { input: [{ type: 'item_reference', id: 'a' }] }],
    ['input[0].content[0].file_id', withPart({ type: 'input_image', file_id: 'f' })],
    ['input[0].content[0].type', withPart({ type: 'input_video' })],
    ['tool_choice.type', { tool_choice: { type: 'allowed_tools' } }],
    ['text.format.type', { text: { format: { type: 'grammar' } } }],
  ])('is refused at %s', (param, body) => {
    expect(refusal(body)).toEqual(unsupported(param));
  });

  it.each([
    ['input', { input: [] }],
    ['input', { input: 5 }],
    ['input[0].role', { input: [{ role: 'robot', content: 'hi' }] }],
    ['input[0].call_id', { input: [{ type: 'function_call', name: 'f' }] }],
    ['input[0].content', { input: [{ role: 'user' }] }],
    ['instructions', { instructions: 5 }],
    ['tools[0].name', { tools: [{ type: 'function' }] }],
  ])('is invalid at %s', (param, body) => {
    expect(refusal(body)).toEqual({ param });
  });

  it('reports what it does not carry, and nothing that asks for nothing', () => {
    const { dropped } = decode({
      store: true,
      truncation: 'auto',
      service_tier: 'flex',
      max_tool_calls: 3,
      prompt_cache_key: 'k',
      include: ['reasoning.encrypted_content', 'web_search_call.results'],
      reasoning: { summary: 'auto' },
      text: { verbosity: 'low' },
      of_tomorrow: 1,
    });
    expect(dropped).toEqual([
      ...['include', 'max_tool_calls', 'of_tomorrow', 'prompt_cache_key', 'reasoning.summary'],
      ...['service_tier', 'text.verbosity', 'truncation'],
    ]);
    const harmless = {
      ...{ store: false, truncation: 'disabled', service_tier: 'auto', background: false },
      ...{ include: ['reasoning.encrypted_content'], metadata: { a: 'b' }, top_logprobs: 0 },
      stream_options: { include_obfuscation: false },
    };
    expect(decode(harmless).dropped).toEqual([]);
  });

  it('of any form is decoded, or refused with a reason and a path', () => {
    const item = fc.record(
      {
        type: fc.constantFrom('message', 'function_call', 'function_call_output', 'reasoning', 5),
        role: fc.constantFrom('user', 'assistant', 'developer', null),
        content: fc.jsonValue(),
        call_id: fc.jsonValue(),
        name: fc.jsonValue(),
        arguments: fc.jsonValue(),
        output: fc.jsonValue(),
        summary: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const body = fc.record(
      {
        input: fc.oneof(fc.array(item), fc.jsonValue()),
        tools: fc.jsonValue(),
        tool_choice: fc.jsonValue(),
        text: fc.jsonValue(),
        reasoning: fc.jsonValue(),
        include: fc.jsonValue(),
        instructions: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(body, (value) => {
        expect(responses.readSignals(value).promptLength).toBeGreaterThanOrEqual(0);
        responses.toEgressEdits(responses.readRequest(value), { model: 'm', maxOutputTokens: 5 });
        expect(outcomeOf(value)).toMatch(/^$|^INVALID_REQUEST [a-z_]+/);
      }),
      { numRuns: 500 },
    );
  });
});

function withPart(part: JsonObject): JsonObject {
  return { input: [{ role: 'user', content: [part] }] };
}

const outcomeOf = (body: JsonObject): string => {
  try {
    const { conversation } = responses.decodeRequest(body);
    responses.encodeRequest(conversation, { model: 'm', maxOutputTokens: 5 });
    return '';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return `${error.reason} ${error.fields.param}`;
  }
};
