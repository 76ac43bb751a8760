import type { TurnUnit } from '../../engine/engine.ts';
import { createFormatNumber } from '../create-format-number.ts';
import type { NumberStyle } from '../create-format-number.ts';
import { createEnglish } from './english.ts';
import { createGerman } from './german.ts';
import type { Phrases } from './phrases.ts';

const BY_LANGUAGE = { en: createEnglish, de: createGerman } as const;

export const createPhrases = (style: NumberStyle, unit: TurnUnit): Phrases =>
  BY_LANGUAGE[style.language](createFormatNumber(style), style, unit);
