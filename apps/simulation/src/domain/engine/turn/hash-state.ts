import { createHash } from 'node:crypto';
import { canonicalJson } from '@witan/proof';
import type { EngineState } from './engine-state.ts';

/** Returns the lower-case hex SHA-256 of the state's canonical JSON. */
export const hashState = (state: EngineState): string =>
  createHash('sha256').update(canonicalJson(state)).digest('hex');
