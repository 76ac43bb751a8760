import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readTextCalls } from './read-text-calls.ts';

const TOOLS = [{ name: 'rate' }, { name: 'monthly_figures' }];
const CALL = '{"name":"rate","arguments":{"of":"EUR"}}';

const read = (text: string): unknown =>
  readTextCalls(text, TOOLS)?.map((call) => [call.name, call.arguments]);

describe('tool calls that are written as text', () => {
  it.each([
    ['an object', CALL],
    ['a tag', `<tool_call>\n${CALL}\n</tool_call>`],
    ['a fence', `\`\`\`json\n${CALL}\n\`\`\``],
    ['a list', `[${CALL}]`],
    ['a nested function', `{"type":"function","function":${CALL}}`],
    ['parameters', '{"name":"rate","parameters":{"of":"EUR"}}'],
    ['arguments as text', String.raw`{"name":"rate","arguments":"{\"of\":\"EUR\"}"}`],
  ])('are read from %s', (_name, text) => {
    expect(read(text)).toEqual([['rate', '{"of":"EUR"}']]);
  });

  it('are read from several tags', () => {
    const text = `<tool_call>${CALL}</tool_call><tool_call>${CALL}</tool_call>`;
    expect(readTextCalls(text, TOOLS)).toHaveLength(2);
  });

  it.each([
    ['a definition', '{"name":"rate","description":"x","parameters":{"properties":{}}}'],
    ['a tool that was not offered', '{"name":"other","arguments":{}}'],
    [
      'the definition that a small model repeated',
      readFileSync(
        new URL('../../../../libs/testing/data/real-models-answers.ndjson', import.meta.url),
        'utf8',
      )
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { answer: string }).answer)
        .find((answer) => answer.startsWith('<tools>'))!,
    ],
  ])('are none in %s, which is no answer either', (_name, text) => {
    expect(read(text)).toEqual([]);
  });

  it.each([
    'It is 1.08.',
    `I call ${CALL}`,
    `${CALL} and then?`,
    '{"name":"Ann","age":3}',
    '{"verdict":"yes"}',
    '[]',
    '{"name":"rate","arguments":{"of":',
    '```js\nlet a = 1;\n```',
    '',
  ])('are not found in an answer: %j', (text) => {
    expect(read(text)).toBeUndefined();
  });
});
