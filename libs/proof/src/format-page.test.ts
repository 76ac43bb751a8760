import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { matches } from '../test/format-schemas.ts';
import { tlogVectors } from '../test/tlog-vectors.ts';
import { vectorText } from '../test/vector-file.ts';
import type { InvalidCertificate } from '../vectors/invalid-certificates.ts';
import type { InvalidChain } from '../vectors/invalid-chains.ts';
import { certify, chainLines, examplePayload, exampleChain, OLD_KEY } from '../vectors/samples.ts';
import { ProofError } from './errors.ts';
import { FINISH_REASONS, ROUTING_REASONS, TASK_TYPES } from './certificate.ts';
import { parsePublicKeys } from './keys.ts';
import { parsePolicy } from './tlog/policy.ts';
import { verifyBundle } from './tlog/verify-bundle.ts';
import { verifyCertificate } from './verify-certificate.ts';
import { verifyChain } from './verify-chain.ts';
import type { ChainOptions } from './verify-chain.ts';
import { verifyRequest } from './verify-content.ts';

const page = readFileSync(new URL('../../../docs/format.md', import.meta.url), 'utf8');
const keys = parsePublicKeys(vectorText('public-key.json'));
const { policies, bundles } = tlogVectors('bundles');
const example = examplePayload();

/** Resolves with `valid` or the reason why not. */
const verdictOf = async (verify: () => unknown): Promise<string> => {
  try {
    await verify();
    return 'valid';
  } catch (error) {
    if (error instanceof ProofError) return error.reason;
    throw error;
  }
};

type Case = readonly [change: string, verify: () => unknown];

const certificateOf = (name: string, text: string): Case => [
  name,
  () => verifyCertificate(text, keys),
];
const signed = (name: string, change: object): Case =>
  certificateOf(name, JSON.stringify(certify({ ...example, ...change }, OLD_KEY)));
const egressOf = (masked: number, categories: string[]) => ({
  egress: { ...example.egress, pii: { masked, categories } },
});
const usage = { promptTokens: 13, completionTokens: 4, totalTokens: 99 };

const certificates = (): Case[] => [
  ...(JSON.parse(vectorText('invalid-certificates.json')) as InvalidCertificate[])
    .filter(({ text }) => isJson(text) && matches('certificate', JSON.parse(text)))
    .map(({ name, text }) => certificateOf(name, text)),
  signed('an unknown category, signed', egressOf(1, ['SHOE_SIZE'])),
  signed('a total that is not the sum, signed', { response: { ...example.response, usage } }),
  certificateOf('members in another order', reordered(vectorText('certificate.json'))),
  certificateOf('white space between members', spaced(vectorText('certificate.json'))),
  [
    'another request',
    () => verifyRequest(example, vectorText('request.json').replace('Zoë', 'Zoe')),
  ],
  [
    'the request in another spelling',
    () => verifyRequest(example, spaced(vectorText('request.json'))),
  ],
];

const chainOf = (name: string, lines: string[], options: ChainOptions = {}): Case => [
  name,
  () => verifyChain(lines, options),
];

const chains = (): Case[] => [
  ...(JSON.parse(vectorText('invalid-chains.json')) as InvalidChain[])
    .filter(({ lines }) => isJson(lines[0]!) && matches('chain-header', JSON.parse(lines[0]!)))
    .map(({ name, lines }) => chainOf(name, lines)),
  chainOf('no certificate', chainLines().slice(0, 1)),
  chainOf(
    'blank lines',
    chainLines().flatMap((line) => ['', line, ' \t\r']),
  ),
  chainOf('the last one cut off', chainLines().slice(0, -1)),
  chainOf('the last one cut off, with its count', chainLines().slice(0, -1), { expectedCount: 6 }),
  chainOf('the last one cut off, with its head', chainLines().slice(0, -1), {
    expectedHead: exampleChain().at(-1)!.payload_hash,
  }),
  chainOf('longer than the count', chainLines(), { expectedCount: 3 }),
  chainOf('longer than the head', chainLines(), { expectedHead: exampleChain()[2]!.payload_hash }),
];

const bundleCases = (): Case[] =>
  bundles
    .filter(({ bundle }) => matches('bundle', JSON.parse(bundle)))
    .map(({ name, policy, bundle }) => [
      name,
      () => verifyBundle(bundle, parsePolicy(policies[policy]!)),
    ]);

const CASES = { certificate: certificates(), chain: chains(), bundle: bundleCases() };

describe('the verdicts of docs/format.md', () => {
  const rows = [
    ...page.matchAll(/^\| (certificate|chain|bundle) +\| (.+?) +\| `?(\w+)`? +\|$/gm),
  ].map(([, object, change, verdict]) => [object, change, verdict]);

  it('are those of the library, for each change', async () => {
    const actual: string[][] = [];
    for (const [object, cases] of Object.entries(CASES)) {
      for (const [change, verify] of cases) actual.push([object, change, await verdictOf(verify)]);
    }
    expect(rows).toEqual(actual);
  });
});

describe('docs/format.md', () => {
  it('names every value of the closed sets', () => {
    const named = [...FINISH_REASONS, ...TASK_TYPES, ...ROUTING_REASONS];
    expect(named.filter((value) => !page.includes(`\`${value}\``))).toEqual([]);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function reordered(text: string): string {
  const reverse = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([name, member]) => [name, reverse(member)]),
        )
      : value;
  return JSON.stringify(reverse(JSON.parse(text)));
}

function spaced(text: string): string {
  return JSON.stringify(JSON.parse(text), null, '\t');
}
