import { createHash } from 'node:crypto';
import { canonicalJson } from '@witan/proof';
import type { EngineState } from './engine-state.ts';

export const hashState = (state: EngineState): string =>
  createHash('sha256').update(canonicalJson(state)).digest('hex');
