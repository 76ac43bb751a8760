import { describe, expect, it } from '@jest/globals';
import type { Agent } from './agents-query.ts';
import {
  EMPTY_PERSONA,
  EXAMPLES,
  findMissing,
  toChange,
  toDraft,
  toNewAgent,
} from './persona-draft.ts';

const AGENT: Agent = {
  id: 'agt_1',
  name: 'Finance',
  slug: 'finance',
  role: 'CFO',
  systemPrompt: 'You count.',
  personality: '',
  mission: 'Cash.',
  decisionStyle: '',
  model: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

describe('the draft of a persona', () => {
  it('names the required members that are blank', () => {
    expect(findMissing({ ...EMPTY_PERSONA, name: ' ' })).toEqual(['name', 'systemPrompt']);
    expect(findMissing({ ...EMPTY_PERSONA, name: 'a', systemPrompt: 'b' })).toEqual([]);
  });

  it('becomes a change of the members that differ, with null for emptied ones', () => {
    expect(toChange(toDraft(AGENT), AGENT)).toEqual({});
    const draft = { ...toDraft(AGENT), role: '', personality: ' Dry. ', mission: 'Cash. ' };
    expect(toChange(draft, AGENT)).toEqual({ role: null, personality: 'Dry.' });
  });

  it('becomes a new agent without blank members', () => {
    const draft = { ...EMPTY_PERSONA, name: ' Finance ', systemPrompt: 'You count.', role: ' ' };
    expect(toNewAgent(draft)).toEqual({ name: 'Finance', systemPrompt: 'You count.' });
  });

  it('has complete examples with different names', () => {
    expect(EXAMPLES.flatMap(findMissing)).toEqual([]);
    expect(new Set(EXAMPLES.map(({ name }) => name)).size).toBe(EXAMPLES.length);
  });
});
