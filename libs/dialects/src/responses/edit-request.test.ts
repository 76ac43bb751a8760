import { describe, expect, it } from '@jest/globals';
import type { EgressTarget } from '../dialect.ts';
import { editMembers } from '../json/json-text.ts';
import { insertPreamble, readRequest, toEgressEdits } from './request.ts';

const edited = (source: string, target: Partial<EgressTarget> = {}): string => {
  const { edits } = toEgressEdits(readRequest(JSON.parse(source)), {
    model: 'gpt-4.1',
    maxOutputTokens: 16_000,
    ...target,
  });
  return editMembers(source, edits);
};

describe('the edits of a responses body', () => {
  it('leave out reasoning of another dialect, and name it', () => {
    const own = { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA' };
    const converted = {
      ...{ type: 'reasoning', id: 'rs_0355IDCDmpdyVRushIx9bP_0' },
      encrypted_content: 'witan-messages:sig',
    };
    const unsigned = { ...converted, encrypted_content: null };
    const message = { role: 'user', content: 'So?' };
    const source = JSON.stringify({
      model: 'gpt-4.1',
      input: [converted, own, unsigned, message],
    });
    expect(JSON.parse(edited(source))).toEqual({ model: 'gpt-4.1', input: [own, message] });
    const { dropped } = toEgressEdits(readRequest(JSON.parse(source)), {
      model: 'gpt-4.1',
      maxOutputTokens: 16_000,
    });
    expect(dropped).toEqual(['input[].encrypted_content']);
  });

  it.each([
    ['nothing to edit', '{"model":"gpt-4.1", "input":"hi", "x":1.0}', {}, undefined],
    ['another model', '{"model":"a", "input":"hi"}', {}, '{"model":"gpt-4.1", "input":"hi"}'],
    [
      'a limit above the maximum',
      '{"model":"gpt-4.1","max_output_tokens":99999}',
      {},
      '{"model":"gpt-4.1","max_output_tokens":16000}',
    ],
    [
      'no limit, where one is required',
      '{"model":"gpt-4.1"}',
      { isLimited: true },
      '{"model":"gpt-4.1","max_output_tokens":16000}',
    ],
    [
      'a reasoning model that the gateway chose',
      '{"model":"service-auto","max_output_tokens":100,"temperature":1,"reasoning":{"effort":"low"}}',
      { model: 'gpt-5' },
      '{"model":"gpt-5","max_output_tokens":4100,"reasoning":{"effort":"low"}}',
    ],
    [
      'a reasoning model that the client named',
      '{"model":"gpt-5","max_output_tokens":100,"temperature":1}',
      { model: 'gpt-5' },
      undefined,
    ],
  ])('of %s', (_name, source, target, expected) => {
    expect(edited(source, target)).toBe(expected ?? source);
  });
});

describe('the summary of a responses body', () => {
  it('has what routing and the answer need', () => {
    const body = {
      model: 'm',
      input: 'hi',
      stream: true,
      max_output_tokens: 50,
      temperature: 0,
      reasoning: { effort: 'low' },
      instructions: 'Be brief.',
      metadata: null,
      other: 1,
    };
    expect(readRequest(body)).toEqual({
      model: 'm',
      streamed: true,
      wantsUsage: true,
      choices: 1,
      outputLimits: { max_output_tokens: 50 },
      samplingNames: ['temperature'],
      reasoningEffort: 'low',
      echo: {
        instructions: 'Be brief.',
        max_output_tokens: 50,
        reasoning: { effort: 'low' },
        temperature: 0,
      },
    });
  });
});

describe('a preamble', () => {
  it.each([
    ['missing instructions', '{"input":"hi"}', '{"input":"hi","instructions":"P"}'],
    ['instructions of null', '{"instructions":null}', '{"instructions":"P"}'],
    ['blank instructions', '{"instructions":" "}', '{"instructions":"P"}'],
    ['instructions', '{"instructions":"I"}', '{"instructions":"I\\n\\nP"}'],
    ['instructions of a wrong type', '{"instructions":[1]}', '{"instructions":[1]}'],
  ])('is appended to %s', (_name, source, expected) => {
    expect(insertPreamble(source, 'P')).toBe(expected);
    expect(insertPreamble(source, '')).toBe(source);
  });
});
