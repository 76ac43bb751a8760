import { describe, expect, it } from '@jest/globals';
import { KEY_POINTS_MAX } from './read-answer.ts';
import { describeAnswerShape } from './describe-task.ts';
import { OUTPUT_TOKENS_MAX } from './prepare-answer.ts';

const ISSUES = ['i1', 'i2', 'i3', 'i4', 'i5'].map((id) => ({ id, proposition: 'x', weight: 1 }));

type Schema = {
  type?: unknown;
  enum?: unknown;
  maxLength?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
};

/** Returns the longest texts that a schema allows; NaN if one of them has no limit. */
const lengthOf = ({
  type,
  maxLength = NaN,
  properties,
  items,
  maxItems = NaN,
  ...rest
}: Schema): number => {
  if (type === 'array') return maxItems * lengthOf(items!);
  if (type === 'object') return sum(Object.values(properties!).map(lengthOf));
  // Some runtimes ignore the limits of a text whose type is a list of types.
  if (Array.isArray(type)) return NaN;
  return type === 'string' && !rest.enum ? maxLength : 0;
};

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** A token of Spanish or German text has about as many letters. */
const TOKEN_LENGTH = 3;
/** Keys, marks, and stances on five propositions. */
const FORM_TOKENS = 300;

describe('the schema of an answer', () => {
  it.each([1, 5])('bounds every text, so that %i propositions fit the output limit', (count) => {
    const text = describeAnswerShape({ issues: ISSUES.slice(0, count), levers: [] });
    const tokens = lengthOf(JSON.parse(text) as Schema) / TOKEN_LENGTH;
    expect(tokens + FORM_TOKENS).toBeLessThanOrEqual(OUTPUT_TOKENS_MAX);
    expect(tokens).toBeGreaterThan(KEY_POINTS_MAX);
  });
});
