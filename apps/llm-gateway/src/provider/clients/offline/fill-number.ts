import { matchesNumber } from './matches-schema.ts';
import type { Schema } from './resolve-schema.ts';
import type { Hint, ValueFinder } from './value-finder.ts';

const MAX_TRIES = 100;
const BOUND_MARGIN = 1e-6;

/**
 * Returns a number for a number or integer schema: the finder's, or else the hint's ordinal, moved
 * into the bounds and onto `multipleOf`. Undefined if no such number is found, or if the property
 * is optional and the text states none.
 */
export function fillNumber(
  schema: Schema,
  kind: 'number' | 'integer',
  hint: Hint,
  finder: ValueFinder,
): number | undefined {
  const found = finder.findNumber(hint);
  if (found === undefined && !hint.isRequired) return undefined;
  const target = found ?? hint.ordinal;
  const fits = (value: number): boolean =>
    matchesNumber(value, schema) && (kind === 'number' || Number.isInteger(value));
  return candidates(target, schema, kind).find(fits);
}

function candidates(target: number, schema: Schema, kind: 'number' | 'integer'): number[] {
  const low = largest(schema['minimum'], schema['exclusiveMinimum']);
  const high = smallest(schema['maximum'], schema['exclusiveMaximum']);
  const inside = Math.min(Math.max(target, low), high);
  const { multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  const steps = Array.from({ length: MAX_TRIES }, (_, index) => index);
  const first = Math.round(inside / step);
  const onStep = steps.flatMap((index) => [(first + index) * step, (first - index) * step]);
  if (kind === 'integer' || typeof multipleOf === 'number') return onStep;
  const between = [low + BOUND_MARGIN, high - BOUND_MARGIN, (low + high) / 2];
  return [inside, ...between, ...onStep].filter((value) => Number.isFinite(value));
}

function largest(...bounds: unknown[]): number {
  return Math.max(-Number.MAX_VALUE, ...bounds.filter((bound) => typeof bound === 'number'));
}

function smallest(...bounds: unknown[]): number {
  return Math.min(Number.MAX_VALUE, ...bounds.filter((bound) => typeof bound === 'number'));
}
