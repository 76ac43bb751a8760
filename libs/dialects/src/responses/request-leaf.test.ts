import { describe, expect, it } from '@jest/globals';
import { stringLeaves } from '../../test/string-leaves.ts';
import type { JsonObject } from '../json/json-value.ts';
import { toRequestLeaf } from './request.ts';

/** Returns the kinds of the strings of a body by their values, which must differ. */
const kindsOf = (body: JsonObject): Record<string, string> =>
  Object.fromEntries(
    stringLeaves(body).map(({ path, value }) => [value, toRequestLeaf(path, body)]),
  );

describe('the leaves of a responses request', () => {
  it.each<[string, JsonObject, Record<string, string>]>([
    ['an input text', { input: 'Hi' }, { Hi: 'text' }],
    [
      'instructions and routing',
      { model: 'm', instructions: 'Be brief.', previous_response_id: 'resp_1', user: 'u' },
      { m: 'fixed', 'Be brief.': 'text', resp_1: 'fixed', u: 'text' },
    ],
    [
      'messages',
      {
        input: [
          { type: 'message', role: 'user', content: 'A' },
          { role: 'developer', content: [{ type: 'input_text', text: 'B' }] },
          { id: 'msg_1', content: [{ type: 'output_text', text: 'C' }], phase: 'commentary' },
          { content: [{ type: 'refusal', refusal: 'D' }] },
        ],
      },
      {
        ...{ message: 'fixed', user: 'fixed', developer: 'fixed', input_text: 'fixed' },
        ...{ msg_1: 'fixed', output_text: 'fixed', commentary: 'fixed', refusal: 'fixed' },
        ...{ A: 'text', B: 'text', C: 'text', D: 'text' },
      },
    ],
    [
      'media',
      {
        input: [
          {
            content: [
              { image_url: 'https://a', detail: 'low' },
              { file_data: 'data:,', filename: 'cv.pdf', file_url: 'https://b' },
              { type: 'input_file', file_id: 'file_1' },
              { input_audio: { data: 'UklG', format: 'wav' } },
            ],
          },
        ],
      },
      {
        ...{ 'https://a': 'media', low: 'fixed', 'data:,': 'media', 'cv.pdf': 'filename' },
        ...{ 'https://b': 'media', input_file: 'fixed', file_1: 'media' },
        ...{ UklG: 'media', wav: 'fixed' },
      },
    ],
    [
      'calls and their results',
      {
        input: [
          { call_id: 'c1', name: 'f', arguments: '{"a":1}', namespace: 'n' },
          { call_id: 'c2', output: 'R' },
          { output: [{ type: 'input_text', text: 'S' }] },
          { name: 'patch', input: '*** Begin' },
          { arguments: { to: 'Zoë' } },
          { action: { command: ['ls', '-l'] } },
        ],
      },
      {
        ...{ c1: 'fixed', f: 'fixed', '{"a":1}': 'text', n: 'fixed', c2: 'fixed', R: 'text' },
        ...{ input_text: 'fixed', S: 'text', patch: 'fixed', '*** Begin': 'text' },
        ...{ Zoë: 'data', ls: 'data', '-l': 'data' },
      },
    ],
    [
      'reasoning',
      {
        input: [
          { id: 'rs_1', summary: [{ text: 'Hm' }], encrypted_content: 'gAAA' },
          { content: [{ type: 'reasoning_text', text: 'Oh' }] },
        ],
      },
      { rs_1: 'fixed', Hm: 'text', gAAA: 'signed', reasoning_text: 'fixed', Oh: 'text' },
    ],
    [
      'tools',
      {
        tools: [
          {
            type: 'function',
            name: 'f',
            description: 'Finds a person.',
            parameters: {
              properties: { a: { description: 'Their name', enum: ['x'], pattern: '^y' } },
            },
          },
          { type: 'mcp', server_label: 's', server_url: 'https://m', authorization: 'token' },
          { type: 'web_search', user_location: { city: 'Oslo', country: 'NO' } },
          { type: 'custom', description: 'Patches', format: { definition: 'start: x' } },
          { type: 'namespace', description: 'All', tools: [{ name: 'g', description: 'Goes' }] },
        ],
      },
      {
        ...{ function: 'fixed', f: 'fixed', 'Finds a person.': 'text', 'Their name': 'text' },
        ...{ x: 'fixed', '^y': 'fixed', mcp: 'fixed', s: 'fixed', 'https://m': 'fixed' },
        ...{ token: 'fixed', web_search: 'fixed', Oslo: 'text', NO: 'fixed', custom: 'fixed' },
        ...{ Patches: 'text', 'start: x': 'fixed', namespace: 'fixed', All: 'text', g: 'fixed' },
        ...{ Goes: 'text' },
      },
    ],
    [
      'the format of the answer',
      {
        text: {
          verbosity: 'low',
          format: {
            type: 'json_schema',
            name: 'person',
            description: 'A person',
            schema: { properties: { a: { title: 'Name', const: 'z' } } },
          },
        },
      },
      {
        ...{ low: 'fixed', json_schema: 'fixed', person: 'fixed', 'A person': 'text' },
        ...{ Name: 'text', z: 'fixed' },
      },
    ],
    [
      'data of the client, whatever its members are called',
      {
        input: [
          { role: 'user', content: [{ type: 'text', text: { value: 'A' } }] },
          { output: { name: 'B', data: 'C', text: { format: 'D' }, tools: [{ note: 'E' }] } },
          { output: [{ type: 'json', json: { name: 'F' } }, { rows: [{ id: 'G' }] }] },
          { content: { type: 'H' } },
          { role: { of: 'I' }, content: [[{ name: 'J' }]] },
          { output: { type: 'computer_screenshot', image_url: 'K' } },
        ],
      },
      {
        ...{ user: 'fixed', text: 'fixed', A: 'data', B: 'data', C: 'data', D: 'data', E: 'data' },
        ...{ json: 'fixed', F: 'data', G: 'data', H: 'data', I: 'data', J: 'data' },
        ...{ computer_screenshot: 'fixed', K: 'media' },
      },
    ],
    [
      'metadata and prompts',
      {
        metadata: { owner: 'Zoë' },
        prompt: {
          id: 'pmpt_1',
          variables: { name: 'Ada', part: { type: 'input_text', text: 'T' } },
        },
      },
      { Zoë: 'data', pmpt_1: 'fixed', Ada: 'text', input_text: 'fixed', T: 'text' },
    ],
  ])('are classified in %s', (_name, body, kinds) => {
    expect(kindsOf(body)).toEqual(kinds);
  });
});
