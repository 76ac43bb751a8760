import fc from 'fast-check';

const { WITAN_FUZZ_RUNS = '' } = process.env;
const RUNS = 100;
const SEED = 20_261_122;

/**
 * How often a property is tried: in `npm test` a hundred times, always the same; with
 * `npm run fuzz` as often as it is told, and otherwise each time. What fails names its seed.
 */
export const TRIES =
  WITAN_FUZZ_RUNS === '' ? { numRuns: RUNS, seed: SEED } : { numRuns: Number(WITAN_FUZZ_RUNS) };

/** Any text, and texts that others have stumbled over. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\uD800',
    '\uFEFF',
    '\u202E',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '%00',
    '%',
    '${7*7}',
    '\r\n\r\n',
    '1e400',
    'NaN',
    '[DONE]',
    'data: ',
  ),
);

/** Any value of JSON, and numbers and names that others have stumbled over. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -1, 1e308, -0, 0.1, 2 ** 53, 2 ** 31, [], {}, [[]]),
  fc.jsonValue({ maxDepth: 3 }),
  // Parsed, as a client sends it: then `__proto__` is a member like others.
  fc.constantFrom('{"__proto__":{"a":1}}', '{"toString":1,"length":-1}').map((t) => JSON.parse(t)),
);

type Change = { pick: number; value: unknown; isRemoved: boolean };

const change: fc.Arbitrary<Change> = fc.record({
  pick: fc.nat(),
  value: hostileValue,
  isRemoved: fc.boolean(),
});

/** A good value with some of its members, at any depth, replaced by hostile ones or taken away. */
export const spoiled = <Value extends object>(good: Value): fc.Arbitrary<Value> =>
  fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const bad = structuredClone(good);
    for (const one of changes) spoil(bad, one);
    // As it comes over the wire: a hole in a list is null.
    return JSON.parse(JSON.stringify(bad)) as Value;
  });

const spoil = (root: object, { pick, value, isRemoved }: Change): void => {
  const members = membersIn(root);
  const member = members[pick % Math.max(1, members.length)];
  if (!member) return;
  const [owner, name] = member;
  if (isRemoved) Reflect.deleteProperty(owner, name);
  else Object.assign(owner, { [name]: value });
};

const membersIn = (owner: object): [owner: object, name: string][] =>
  Object.entries(owner).flatMap(([name, value]) => [
    [owner, name],
    ...(typeof value === 'object' && value !== null ? membersIn(value as object) : []),
  ]);
