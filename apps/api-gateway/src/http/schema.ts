import type { JsonSchema } from './route.ts';

export const text = { type: 'string' } as const;
export const texts = { type: 'array', items: text } as const;
export const nullableText = { type: ['string', 'null'] } as const;
export const flag = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const share = { type: 'number', minimum: 0, maximum: 1 } as const;
export const anyObject = { type: 'object' } as const;
export const dateTime = { type: 'string', format: 'date-time' } as const;
const INSTANT = '^\\d{4}-\\d\\d-\\d\\dT[0-9:.]{12}Z$';
export const instant = { type: 'string', pattern: INSTANT } as const;
export const instantOrNull = { type: ['string', 'null'], pattern: INSTANT } as const;
export const proofIds = { ...texts, description: 'Ids of the certificates behind it' } as const;
/**
 * Schema of a field that the server sets. A change ignores it, so that a client can send back the
 * object that it read.
 */
export const readOnly = { readOnly: true } as const;

type Members = Readonly<Record<string, JsonSchema>>;

export type ClosedObject<M extends Members, O extends Members> = {
  readonly type: 'object';
  readonly required: readonly (keyof M & string)[];
  readonly additionalProperties: false;
  readonly properties: Omit<M, keyof O> & O;
};

export const closedObject = <const M extends Members, const O extends Members = {}>(
  members: M,
  optional?: O,
): ClosedObject<M, O> => ({
  type: 'object',
  required: Object.keys(members),
  additionalProperties: false,
  properties: { ...members, ...optional } as unknown as Omit<M, keyof O> & O,
});

type ByTypeName = {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
  object: object;
  array: unknown[];
};

/** TypeScript type of the values that a schema allows, inferred from the schema's literals. */
export type Static<S> = S extends { enum: readonly (infer E)[] }
  ? E
  : S extends { const: infer C }
    ? C
    : S extends { type: 'array'; items: infer I }
      ? Static<I>[]
      : S extends { type: 'object'; properties: infer P }
        ? StaticObject<P, RequiredNames<S>>
        : S extends { type: 'object'; additionalProperties: infer V extends object }
          ? Record<string, Static<V>>
          : S extends { type: readonly (infer N extends keyof ByTypeName)[] }
            ? ByTypeName[N]
            : S extends { type: infer N extends keyof ByTypeName }
              ? ByTypeName[N]
              : unknown;

type RequiredNames<S> = S extends { required: readonly (infer N)[] } ? N : never;

type StaticObject<P, R> = { [K in keyof P as K extends R ? K : never]: Static<P[K]> } & {
  [K in keyof P as K extends R ? never : K]?: Static<P[K]>;
};
