import { describe, expect, it } from '@jest/globals';
import type { RouteCall } from '../../http/route.ts';
import { readAgentChatRequest } from './agent-chat-request.ts';

const PROOF = { proofId: 'pf_1', requestSha256: 'ab' };

const read = (body: object, id = 'agt_1') =>
  readAgentChatRequest({ params: { id }, body } as unknown as RouteCall, PROOF);

describe('the chat request', () => {
  it('has defaults if only a message is given', () => {
    expect(read({ message: 'Hi' })).toEqual({
      ...PROOF,
      agentId: 'agt_1',
      message: 'Hi',
      sessionId: '',
      context: [],
      extraction: undefined,
      reflection: false,
      temperature: undefined,
      maxTokens: undefined,
      json: undefined,
      tools: { enabled: false, toolIds: [] },
    });
  });

  it('passes context objects as JSON text, and texts unchanged', () => {
    const context = [
      { category: 'crm', data: { seats: 40 }, label: 'Customer', priority: 'high' },
      { category: 'rows', data: [1, 'two'] },
      { category: 'note', data: '{"seats":40}' },
    ];
    expect(read({ message: 'Hi', context }).context).toEqual([
      { category: 'crm', data: '{"seats":40}', isJson: true, label: 'Customer', priority: 'high' },
      { category: 'rows', data: '[1,"two"]', isJson: true, label: '', priority: 'medium' },
      { category: 'note', data: '{"seats":40}', label: '', priority: 'medium' },
    ]);
  });

  it.each([
    ['of any category, and stores them, by default', {}, { categories: [], persist: true }],
    [
      'of some categories, without storing them',
      { categories: ['goal'], persist: false },
      { categories: ['goal'], persist: false },
    ],
  ])('requests the extraction of facts %s', (_name, extraction, expected) => {
    expect(read({ message: 'Hi', extraction }).extraction).toEqual(expected);
  });

  it.each([
    ['any object', { type: 'json' }, { fields: {}, schema: '' }],
    [
      'named fields',
      { type: 'json', fields: { verdict: 'yes or no' } },
      { fields: { verdict: 'yes or no' }, schema: '' },
    ],
    [
      'an object described in text',
      { type: 'json', schema: 'a verdict' },
      { fields: {}, schema: 'a verdict' },
    ],
    ['no object with type text', { type: 'text', fields: { verdict: 'yes' } }, undefined],
    ['no object without a type', { fields: { verdict: 'yes' } }, undefined],
  ])('requests %s', (_name, responseFormat, json) => {
    expect(read({ message: 'Hi', responseFormat }).json).toEqual(json);
  });

  it('has the model options of the body', () => {
    const options = { reflection: true, temperature: 0, maxTokens: 100 };
    expect(read({ message: 'Hi', options })).toMatchObject(options);
  });

  it('has the session of the body', () => {
    expect(read({ message: 'Hi', sessionId: 'ses_1' }).sessionId).toBe('ses_1');
    expect(read({ message: 'Hi', sessionId: null }).sessionId).toBe('');
  });

  it.each([
    ['an agent', () => read({ message: 'Hi' }, 'agent 7'), {}],
    ['a session', () => read({ message: 'Hi', sessionId: 'agt_1' }), { param: 'sessionId' }],
  ])('is refused if it names a malformed id of %s', (_name, refused, fields) => {
    expect(refused).toThrow(expect.objectContaining({ reason: 'NOT_FOUND', fields }));
  });

  it.each([
    [undefined, { enabled: false, toolIds: [] }],
    [{}, { enabled: false, toolIds: [] }],
    [{ enabled: true }, { enabled: true, toolIds: [] }],
    [
      { enabled: true, toolIds: [] },
      { enabled: false, toolIds: [] },
    ],
    [{ toolIds: ['tol_1'] }, { enabled: false, toolIds: ['tol_1'] }],
  ])('maps tools %j to %j', (tools, expected) => {
    expect(read({ message: 'Hi', tools }).tools).toEqual(expected);
  });
});
