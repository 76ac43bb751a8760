import { describe, expect, it } from '@jest/globals';
import { matches } from '../test/format-schemas.ts';
import type { SchemaName } from '../test/format-schemas.ts';
import { makeBundle } from '../test/make-bundle.ts';
import { openGateway } from '../test/open-log-gateway.ts';
import { reasonOf } from '../test/reason-of.ts';
import { tlogVectors } from '../test/tlog-vectors.ts';
import { vectorText } from '../test/vector-file.ts';
import type { InvalidCertificate } from '../vectors/invalid-certificates.ts';
import { chainHeader, exampleChain } from '../vectors/samples.ts';
import { parseCertificate } from './certificate.ts';
import { parsePublicKeys } from './keys.ts';
import { parseBundle } from './tlog/bundle.ts';
import { parseOpenedEpoch } from './tlog/follow-log.ts';
import { verifyChainDocument } from './verify-chain.ts';

const keys = parsePublicKeys(vectorText('public-key.json'));
const json = (name: string): unknown => JSON.parse(vectorText(name));

/** Reasons that are about the content of a chain whose form is valid. */
const isContent = (reason: string | undefined): boolean =>
  reason !== undefined && !['chain_header', 'public_key', 'schema', 'not_json'].includes(reason);

/** For each schema valid values, and whether the library accepts the form of a text. */
const FORMS: Record<SchemaName, { valid: unknown[]; accepts: (text: string) => boolean }> = {
  certificate: {
    valid: [json('certificate.json'), json('embedding-certificate.json'), ...exampleChain()],
    accepts: (text) => reasonOf(() => parseCertificate(text)) === undefined,
  },
  'chain-header': {
    valid: [{ chain: chainHeader() }, JSON.parse(vectorText('chain.ndjson').split('\n')[0]!)],
    accepts: (text) => {
      // As the header of a JSON form, which is read synchronously.
      const document = text.replace(/\}$/, ',"proofs":[]}');
      const reason = reasonOf(() => verifyChainDocument(document, { keys }));
      return reason === undefined || isContent(reason);
    },
  },
  chain: {
    valid: [
      { chain: chainHeader(), proofs: exampleChain().slice(0, 1) },
      { chain: chainHeader(), proofs: [] },
    ],
    accepts: (text) => {
      const reason = reasonOf(() => verifyChainDocument(text, { keys }));
      return reason === undefined || isContent(reason);
    },
  },
  'public-keys': {
    valid: [json('public-key.json')],
    accepts: (text) => reasonOf(() => parsePublicKeys(text)) === undefined,
  },
  bundle: {
    valid: [
      JSON.parse(makeBundle(exampleChain(), 3)),
      ...tlogVectors('bundles')
        .bundles.filter(({ valid }) => valid)
        .map(({ bundle }) => JSON.parse(bundle) as unknown),
    ],
    accepts: (text) => reasonOf(() => parseBundle(text)) === undefined,
  },
  'epoch-line': {
    valid: openGateway([['a'], ['a', 'b'], ['lost'], []], 's', { lost: { first: 2, last: 2 } })
      .epochs,
    accepts: (text) => reasonOf(() => parseOpenedEpoch(text)) === undefined,
  },
};

/** Rules that no schema expresses: docs/format.md names them. */
const isBeyondSchemas = (value: unknown): boolean => {
  const found = value as { certificate?: unknown; proofs?: unknown[]; publicKey?: unknown };
  const certificates = found.proofs ?? [found.certificate ?? found];
  const isUnordered = (certificates as { payload?: Payload }[]).some(({ payload }) => {
    const { masked = 0, categories = [] } = payload?.egress.pii ?? {};
    return (
      masked < categories.length || categories.some((one, i) => i > 0 && categories[i - 1]! >= one)
    );
  });
  return isUnordered || found.publicKey !== undefined;
};
type Payload = { egress: { pii: { masked: number; categories: string[] } } };

describe.each(Object.keys(FORMS) as SchemaName[])('the schema %s', (name) => {
  const { valid, accepts } = FORMS[name];

  it('matches what the library accepts', () => {
    for (const value of valid) {
      expect([value, matches(name, value), accepts(JSON.stringify(value))]).toEqual([
        value,
        true,
        true,
      ]);
    }
  });

  it('matches nothing that the library refuses, and all that it accepts', () => {
    const wrong: string[] = [];
    let count = 0;
    for (const mutant of valid.flatMap((value) => [...mutantsOf(value)])) {
      const text = JSON.stringify(mutant);
      const [isMatch, isAccepted] = [matches(name, mutant), accepts(text)];
      count += 1;
      if (isMatch === isAccepted || (isMatch && isBeyondSchemas(mutant))) continue;
      wrong.push(`${isMatch ? 'only the schema' : 'only the library'} accepts ${text}`);
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(count).toBeGreaterThan(400);
  });
});

it('the vectors of a chain match', () => {
  expect(matches('chain', json('chain.json'))).toBe(true);
  const [header = '', ...certificates] = vectorText('chain.ndjson').trimEnd().split('\n');
  expect(matches('chain-header', JSON.parse(header))).toBe(true);
  expect(certificates.every((line) => matches('certificate', JSON.parse(line)))).toBe(true);
});

it('the certificates that are refused for their form match no schema, but for four rules', () => {
  const vectors = json('invalid-certificates.json') as InvalidCertificate[];
  const matching = vectors.filter(
    ({ reason, text }) => reason === 'schema' && matches('certificate', JSON.parse(text)),
  );
  expect(matching.map(({ name }) => name)).toEqual([
    'a number with a fraction',
    'a number with an exponent',
    'minus zero',
    'more categories than masked values',
    'categories out of order',
  ]);
});

/** Values with which every member is replaced. */
const REPLACEMENTS: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, -1, 0.5, 2 ** 53 - 1, 2 ** 53, 1e300],
  ...[
    '',
    ' ',
    'x',
    'a\nb',
    '\n',
    '\u0000',
    '\ud800',
    '😀',
    '0',
    'pf_',
    'pf_é',
    `pf_${'a'.repeat(129)}`,
  ],
  ...['2024-02-29T00:00:00.000Z', '2023-02-29T00:00:00.000Z', '2000-02-29T23:59:59.999Z'],
  ...['1900-02-29T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
  ...['2026-04-31T00:00:00.000Z', '2026-01-01T24:00:00.000Z', '2026-12-31T23:59:60.000Z'],
  ...['ab'.repeat(32), 'AB'.repeat(32), 'ab'.repeat(31), 'ab'.repeat(8), 'model', 'agent', 'lost'],
  ...[31, 32, 64, 96, 128, 160, 256 * 32, 257 * 32].map((n) =>
    Buffer.alloc(n, 7).toString('base64'),
  ),
  ...[[], {}, [null], [''], ['A'], ['A', 'B'], ['B', 'A'], ['A', 'A']],
];

function* mutantsOf(value: unknown): Generator {
  yield* REPLACEMENTS;
  if (typeof value === 'string') yield* spellingsOf(value);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) yield* [value.toReversed(), [...value, ...value], [...value, null]];
  else
    yield* [
      { ...value, x: 1 },
      { ...value, agent: 'a' },
      { ...value, knowledge: true },
    ];
  if (!Array.isArray(value)) yield { ...value, estimated: true };
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value)) {
      const { [key]: _left, ...rest } = value as Record<string, unknown>;
      yield rest;
    }
    for (const changed of mutantsOf(member)) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
  }
}

function* spellingsOf(text: string): Generator<string> {
  yield* [`${text}\n`, ` ${text}`, text.toUpperCase(), text.slice(1), text.slice(0, -1)];
  yield* [text.replaceAll('\n', '\r\n'), text.replace(/=+$/, ''), text.replaceAll('+', '-')];
  for (const digit of 'ABgQwx9/=') yield text.replace(/.(?==*\n?(?:-+END.*)?\s*$)/, digit);
}
