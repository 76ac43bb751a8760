import { describe, expect, it } from '@jest/globals';
import { findTurnViolations } from './advance-flow.ts';
import { findChatViolations } from './chat-flow.ts';
import { findDebateViolations } from './debate-flow.ts';
import { findFlowViolations } from './flow.ts';

const user = (content: string) => ({ senderType: 'user', content });
const agent = { senderType: 'agent', content: 'No.' };
const synthesis = { senderType: 'synthesis', content: 'No.' };

describe('stored messages of a chat', () => {
  const asked = [
    { message: 'one', isAnswered: true },
    { message: 'two', isAnswered: false },
  ];

  it.each([
    ['all turns', [user('one'), agent, user('two'), agent]],
    ['all answered turns', [user('one'), agent]],
  ])('may be %s', (_, stored) => {
    expect(findChatViolations(asked, stored)).toEqual([]);
  });

  it.each([
    ['fewer turns than were answered', [user('two'), agent], 'answered but not stored: one'],
    ['a turn twice', [user('one'), agent, user('one'), agent], 'stored 2 times: one'],
    ['half a turn', [user('one'), agent, user('two')], 'pairs'],
    ['an answer before its question', [agent, user('one')], 'pairs'],
  ])('may not be %s', (_, stored, message) => {
    expect(findChatViolations(asked, stored)).toEqual([expect.stringContaining(message)]);
  });
});

describe('stored messages of a debate', () => {
  it.each([
    ['all of it', true, [user('?'), agent, synthesis]],
    ['all of it after its client disconnected', false, [user('?'), agent, synthesis]],
    ['nothing if it did not start', false, []],
  ])('may be %s', (_, isAnswered, messages) => {
    expect(findDebateViolations({ id: 'cnv_1', isAnswered }, messages)).toEqual([]);
  });

  it.each([
    ['a debate that does not end', false, [user('?'), agent], 'did not end'],
    ['no messages of an answered debate', true, [], 'not stored'],
    ['two syntheses', true, [user('?'), synthesis, synthesis], '2 syntheses'],
  ])('may not be %s', (_, isAnswered, messages, message) => {
    expect(findDebateViolations({ id: 'cnv_1', isAnswered }, messages)).toEqual([
      expect.stringContaining(message),
    ]);
  });
});

describe('turns of a simulation', () => {
  const simulations = { id: 'sim_1', succeeded: 3, failed: 1 };

  it.each([3, 4])('may be %d after three successful calls and one failed call', (turns) => {
    expect(findTurnViolations(simulations, turns)).toEqual([]);
  });

  it.each([2, 5])('may not be %d', (turns) => {
    expect(findTurnViolations(simulations, turns)).toEqual([expect.stringContaining('sim_1')]);
  });
});

describe('a failed call', () => {
  const callOf = (error: string) => ({ flow: 'chat', error, startedAt: 0, endedAt: 1 });
  const find = (error: string, isGatewaySignalled = false) =>
    findFlowViolations([callOf(error)], { isGatewaySignalled });
  const body = '{"error":{"message":"x","code":"unavailable"}}';

  it.each(['', `503 ${body}`, `200 event: error\ndata: ${body}`])('may end with: %j', (error) => {
    expect(find(error)).toEqual([]);
  });

  it.each(['0 fetch failed', '200 event: delta\ndata: {}', '503 Bad gateway', `400 ${body}`])(
    'may not end with: %j',
    (error) => {
      expect(find(error)).toEqual([`chat: ${error}`]);
    },
  );

  it('may be cut off if the api-gateway crashes', () => {
    expect(find('0 fetch failed', true)).toEqual([]);
    expect(find('503 Bad gateway', true)).toHaveLength(1);
  });
});
