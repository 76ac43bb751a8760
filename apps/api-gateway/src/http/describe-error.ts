import type { ErrorObject } from 'ajv/dist/2020.js';
import { describePatternError } from './text-pattern.ts';

type Params = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const SENTENCES: Readonly<Record<string, (params: Params, value: unknown) => string>> = {
  additionalProperties: () => 'is not known here',
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  maxItems: ({ limit }) => `must have at most ${countOf(limit, 'item')}`,
  maxLength: ({ limit }) => `must have at most ${countOf(limit, 'character')}`,
  maxProperties: ({ limit }) => `must have at most ${countOf(limit, 'member')}`,
  maximum: ({ limit }) => `must be ${Number(limit)} or less`,
  minItems: ({ limit }) => `must have at least ${countOf(limit, 'item')}`,
  minLength: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${countOf(limit, 'character')}`,
  minimum: ({ limit }) => `must be ${Number(limit)} or more`,
  pattern: ({ pattern }, value) => describePatternError(String(pattern), String(value)),
  required: () => 'is required',
  type: ({ type }) => `must be ${listOf([type as string | string[]].flat())}`,
  uniqueItems: () => 'must not hold the same item twice',
};

/**
 * Returns the requirement that a value violates, as a sentence without its subject, for example
 * "must be a string".
 */
export const describeError = ({ keyword, params, data, propertyName }: ErrorObject): string => {
  const value = propertyName ?? data;
  const predicate = SENTENCES[keyword]?.(params, value) ?? 'is not valid';
  return propertyName === undefined ? predicate : `has a member whose name ${predicate}`;
};

const countOf = (limit: unknown, unit: string): string =>
  `${Number(limit)} ${unit}${limit === 1 ? '' : 's'}`;

const listOf = (types: readonly string[]): string => {
  const named = types.map((type) => TYPES[type] ?? type);
  const lastName = named.pop()!;
  return named.length === 0 ? lastName : `${named.join(', ')} or ${lastName}`;
};
