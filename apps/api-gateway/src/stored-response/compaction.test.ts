import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@witan/dialects';
import { fromCompaction, messagesOfUser, toCompaction, toSummaryInput } from './compaction.ts';

const question: JsonObject = { role: 'user', content: 'Weather?' };
const answer: JsonObject = { type: 'message', role: 'assistant', content: 'Snow.' };
const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{"city":"Oslo"}' };
const result = { type: 'function_call_output', call_id: 'c', output: '-3' };
const parts = [{ type: 'input_text', text: '-3' }];

describe('a compacted conversation', () => {
  it('keeps what the user said, without earlier summaries', () => {
    const summary = fromCompaction(toCompaction('x', 'Before.'))!;
    expect(messagesOfUser([summary, question, answer, call, result])).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
    ]);
  });

  it('is summarized from texts, because no tool is declared', () => {
    const input = toSummaryInput([question, call, result, { ...result, output: parts }, answer]);
    expect(input.map(({ type }) => type)).not.toContain('function_call');
    expect(input.slice(0, -1)).toMatchObject([
      question,
      { role: 'assistant', content: 'Call of the tool look: {"city":"Oslo"}' },
      { role: 'user', content: [{ text: 'Result of the tool: -3' }] },
      { role: 'user', content: parts },
      answer,
    ]);
    expect(JSON.stringify(input.at(-1))).toContain('Summarize this conversation');
  });

  it.each([
    [
      { type: 'custom_tool_call', name: 'patch', input: '*** Begin' },
      'Call of the tool patch: *** Begin',
    ],
    [
      { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'Oslo' } },
      'Call of the tool web_search: {"type":"search","query":"Oslo"}',
    ],
    [
      { type: 'local_shell_call', action: { command: ['ls'] } },
      'Call of the tool local_shell: {"command":["ls"]}',
    ],
    [
      { type: 'mcp_call', name: 'look', arguments: '{}', output: 'Snow.' },
      'Call of the tool look: {}\nResult of the tool: Snow.',
    ],
  ])('is summarized from a text of the call %#', (item, content) => {
    expect(toSummaryInput([item]).slice(0, -1)).toEqual([{ role: 'assistant', content }]);
  });

  it.each([
    [{ type: 'custom_tool_call_output', output: 'Done.' }, 'Result of the tool: Done.'],
    [
      { type: 'shell_call_output', output: [{ stdout: 'a.ts' }] },
      'Result of the tool: [{"stdout":"a.ts"}]',
    ],
    [
      { type: 'computer_call_output', output: { image_url: 'data:image/png;base64,iVBO' } },
      'Result of the tool: {"image_url":"(data)"}',
    ],
  ])('is summarized from a text of the result %#', (item, text) => {
    expect(toSummaryInput([item]).slice(0, -1)).toMatchObject([
      { role: 'user', content: [{ text }] },
    ]);
  });

  it('is summarized without items that have no text, and with foreign summaries', () => {
    const foreign = { type: 'compaction', encrypted_content: 'Z0FBQUFB' };
    const items = [
      { type: 'reasoning', summary: [], encrypted_content: 'x' },
      { type: 'web_search_call', id: 'ws_1' },
      { type: 'custom_tool_call_output', output: '' },
      { type: 'image_generation_call', result: 'iVBO' },
      { type: 'mcp_list_tools', tools: [] },
      foreign,
    ];
    expect(toSummaryInput(items).slice(0, -1)).toEqual([foreign]);
  });
});
