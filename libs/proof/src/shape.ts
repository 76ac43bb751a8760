import { ProofError } from './errors.ts';

/**
 * Checks a JSON value and returns the same value with its type; it is never copied or converted.
 * Throws ProofError `schema` with the path and what was expected there.
 */
export type Shape<T> = (value: unknown, path: string) => T;

type Shapes = Record<string, Shape<unknown>>;
type Members<R extends Shapes, O extends Shapes> = { [K in keyof R]: ReturnType<R[K]> } & {
  [K in keyof O]?: ReturnType<O[K]>;
};

export function mismatch(path: string, expected: string): ProofError {
  return new ProofError('schema', `${path} must be ${expected}`);
}

/**
 * Returns a check for an object that has all required members and no others than the required and
 * optional ones. An undefined member counts as absent.
 */
export function closedObject<R extends Shapes, O extends Shapes = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<Members<R, O>> {
  const openShape = openObject(required, optional);
  return (value, path) => {
    const members = openShape(value, path);
    for (const name of Object.keys(members)) {
      if (Object.hasOwn(required, name)) continue;
      if (optional !== undefined && Object.hasOwn(optional, name)) continue;
      throw new ProofError('schema', `${path}.${name} is not a member of the format`);
    }
    return members;
  };
}

export function openObject<R extends Shapes, O extends Shapes = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<Members<R, O>> {
  const requiredMembers = Object.entries(required);
  const possible = Object.entries(optional ?? {});
  return (value, path) => {
    const members = asObject(value, path);
    for (const [name, shape] of requiredMembers) {
      if (!isPresent(members, name)) {
        throw new ProofError('schema', `${path}.${name} is missing`);
      }
      shape(members[name], `${path}.${name}`);
    }
    for (const [name, shape] of possible) {
      if (isPresent(members, name)) shape(members[name], `${path}.${name}`);
    }
    return members as Members<R, O>;
  };
}

export function listOf<T>(item: Shape<T>): Shape<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw mismatch(path, 'an array');
    value.forEach((element, i) => item(element, `${path}[${i}]`));
    return value as T[];
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Shape<T> {
  return (value, path) => {
    if (!values.includes(value as T)) throw mismatch(path, `one of ${values.join(', ')}`);
    return value as T;
  };
}

export function exactly<const T extends string | number | boolean>(expected: T): Shape<T> {
  return (value, path) => {
    if (value !== expected) throw mismatch(path, `exactly ${JSON.stringify(expected)}`);
    return expected;
  };
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value, path) => (value === null ? null : shape(value, path));
}

export const text: Shape<string> = (value, path) => {
  if (typeof value !== 'string') throw mismatch(path, 'a string');
  return value;
};

/** A name: at least one character, and no line feed, because hashed texts join names by one. */
export const name: Shape<string> = pattern(
  'a text that is not empty, in one line, and well-formed Unicode',
  /^[^\n\p{Cs}]+$/u,
);

export function pattern(description: string, expression: RegExp): Shape<string> {
  return (value, path) => {
    if (typeof value !== 'string' || !expression.test(value)) throw mismatch(path, description);
    return value;
  };
}

export const count: Shape<number> = (value, path) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0 || Object.is(value, -0)) {
    throw mismatch(path, 'an integer from 0 to 2^53-1');
  }
  return value as number;
};

export const hash: Shape<string> = pattern('64 lower-case hex digits', /^[0-9a-f]{64}$/);

const INSTANT =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

export const instant: Shape<string> = (value, path) => {
  if (typeof value !== 'string' || !INSTANT.test(value) || !isDayOfMonth(value)) {
    throw mismatch(path, 'a UTC instant like 2026-01-31T23:59:59.999Z');
  }
  return value;
};

/** Returns false for a day that the month lacks, which Date rejects or moves to the next month. */
function isDayOfMonth(value: string): boolean {
  if (value.slice(8, 10) < '29') return true;
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString() === value;
}

function asObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw mismatch(path, 'an object');
  }
  return value as Record<string, unknown>;
}

function isPresent(members: Record<string, unknown>, member: string): boolean {
  return Object.hasOwn(members, member) && members[member] !== undefined;
}
