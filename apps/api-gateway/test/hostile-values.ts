import fc from 'fast-check';

const { WITAN_FUZZ_RUNS = '' } = process.env;
const RUNS = 100;
const SEED = 20_261_122;

/**
 * Runs of each property test: 100 with a fixed seed in `npm test`, the configured number with
 * random seeds in `npm run fuzz`. A failure prints its seed.
 */
export const TRIES =
  WITAN_FUZZ_RUNS === '' ? { numRuns: RUNS, seed: SEED } : { numRuns: Number(WITAN_FUZZ_RUNS) };

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

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -1, 1e308, -0, 0.1, 2 ** 53, 2 ** 31, [], {}, [[]]),
  fc.jsonValue({ maxDepth: 3 }),
  // The values are parsed from text, so that `__proto__` is an ordinary member, as in a client's
  // JSON.
  fc.constantFrom('{"__proto__":{"a":1}}', '{"toString":1,"length":-1}').map((t) => JSON.parse(t)),
);

type Change = { pick: number; value: unknown; isRemoved: boolean };

const change: fc.Arbitrary<Change> = fc.record({
  pick: fc.nat(),
  value: hostileValue,
  isRemoved: fc.boolean(),
});

export const corruptedValue = <Value extends object>(validValue: Value): fc.Arbitrary<Value> =>
  fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const corruptedCopy = structuredClone(validValue);
    for (const one of changes) corruptMember(corruptedCopy, one);
    // Converts the value to what the client would send as JSON: a removed element of a list becomes
    // null.
    return JSON.parse(JSON.stringify(corruptedCopy)) as Value;
  });

const corruptMember = (root: object, { pick, value, isRemoved }: Change): void => {
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
