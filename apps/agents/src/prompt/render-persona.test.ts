import { describe, expect, it } from '@jest/globals';
import { renderPersona } from './prompt-item.ts';

describe('renderPersona', () => {
  it('renders the system prompt, then the fields in a fixed order', () => {
    const persona = {
      decisionStyle: 'numbers first',
      mission: 'Keep cash positive.\n',
      personality: 'dry',
      role: 'CFO',
      systemPrompt: 'You are Ada.\n',
    };
    expect(renderPersona(persona)).toBe(
      'You are Ada.\n\nRole: CFO\nPersonality: dry\nMission: Keep cash positive.\n' +
        'Decision style: numbers first',
    );
  });

  it('omits fields that are not set', () => {
    expect(renderPersona({ systemPrompt: 'You are Ada.', role: ' ', mission: '' })).toBe(
      'You are Ada.',
    );
    expect(renderPersona({ systemPrompt: '', role: 'CFO' })).toBe('Role: CFO');
  });
});
