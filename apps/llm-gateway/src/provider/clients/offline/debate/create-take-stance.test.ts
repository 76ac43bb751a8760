import { describe, expect, it } from '@jest/globals';
import type { Persona } from './recognise-debate.ts';
import { type Leaning, createTakeStance } from './create-take-stance.ts';

const takeStance = (persona: Persona, proposition: string): Leaning =>
  createTakeStance(persona)(proposition);

const FINANCE = {
  name: 'Kim',
  brief: 'You answer for the money: cash, margins, the budget and how long the runway is.',
};
const GROWTH = {
  name: 'Ann',
  brief: 'You look at the market, at competitors and at growth, and want us to win it.',
};
const SCEPTIC = {
  name: 'Lee',
  brief: 'You doubt. You look for the mistake, the objection and the failure in every plan.',
};
const EXPANSIONS = [
  'We should hire ten engineers',
  'We should open a new office abroad',
  'We should expand to Brazil',
  'We should launch a new brand',
  'It is worth the cost to acquire a rival',
];

describe('createTakeStance', () => {
  it.each(EXPANSIONS)('follows the concerns of the brief: %s', (proposition) => {
    expect(takeStance(FINANCE, proposition).stance).toBeLessThan(0);
    expect(takeStance(GROWTH, proposition).stance).toBeGreaterThan(0);
    expect(takeStance(SCEPTIC, proposition).stance).toBeLessThan(0);
  });

  it('reverses if the proposition is to wait', () => {
    const wait = 'It is better to wait than to hire ten engineers';
    expect(takeStance(FINANCE, wait).stance).toBeGreaterThan(0);
    expect(takeStance(GROWTH, wait).stance).toBeLessThan(0);
    expect(takeStance(SCEPTIC, wait).stance).toBeGreaterThan(0);
  });

  it('names the words of the brief that support it', () => {
    const cost = takeStance(FINANCE, 'We should hire ten engineers');
    expect(cost).toMatchObject({ grounds: 'concern', words: ['cash', 'margins'] });
    expect(cost.because).toBe('it would take cash out before it brings any in');
    const sceptical = takeStance(SCEPTIC, 'We should paint the roof');
    expect(sceptical).toMatchObject({ grounds: 'attitude', words: ['doubt', 'objection'] });
  });

  it('gives no reason if it has none', () => {
    const neutral = { name: 'Bo', brief: 'You speak plainly.' };
    expect(takeStance(neutral, 'We should paint the roof')).toMatchObject({
      grounds: 'chance',
      words: [],
      because: '',
    });
  });

  it('differs between names that share a brief, deterministically', () => {
    const names = Array.from({ length: 40 }, (_, index) => `Adviser ${index}`);
    const stanceOf = (name: string): number =>
      takeStance({ name, brief: 'You speak plainly.' }, '“価格を上げる” can be done').stance;
    const stances = names.map(stanceOf);
    expect(stances.filter((stance) => stance > 0).length).toBeGreaterThan(8);
    expect(stances.filter((stance) => stance < 0).length).toBeGreaterThan(8);
    expect(names.map(stanceOf)).toEqual(stances);
  });

  it('uses only the allowed stances and confidences', () => {
    for (const proposition of EXPANSIONS) {
      const { stance, confidence } = takeStance(GROWTH, proposition);
      expect([-1, -0.5, 0.5, 1]).toContain(stance);
      expect(confidence).toBeGreaterThanOrEqual(0.5);
      expect(confidence).toBeLessThanOrEqual(0.95);
    }
  });
});
