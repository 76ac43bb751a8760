import { describe, expect, it } from '@jest/globals';
import { detectLanguage } from './language.ts';

describe('detectLanguage', () => {
  it.each([
    ['de', ['Bäckerei Sommer', 'Wie geht es mit der Filiale weiter?', 'Grundszenario']],
    ['de', ['Müller GmbH', '', 'Energiekrise']],
    ['de', ['Werk Nord', 'Ausbau oder Sparkurs', 'Basisfall', 'Rezession']],
    ['en', ['Bakery', 'What becomes of the shop', 'Base case', 'Energy shock']],
    ['en', ['Acme', '', 'Baseline']],
    ['en', ['Müller & Co', 'How should the company grow', 'Base case', 'Boom']],
    ['en', ['x']],
    ['en', ['株式会社']],
  ] as const)('detects %s in %j', (language, texts) => {
    expect(detectLanguage(texts)).toBe(language);
  });
});
