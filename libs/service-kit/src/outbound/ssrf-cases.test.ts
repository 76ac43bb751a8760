import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import {
  callOf,
  LISTED,
  onLoopback,
  openGuardedFixture,
  RECEIVER,
} from '../../test/open-guarded-fixture.ts';
import { createGuardedClient } from './create-guarded-client.ts';
import type { GuardedClient, OutboundResult, OutboundCall } from './create-guarded-client.ts';
import { OutboundError } from './outbound-error.ts';
import type { TargetRule } from './outbound-error.ts';
import { parseTargetUrl } from './parse-target-url.ts';
import { resolveTarget } from './resolve-target.ts';
import { parseTargetPolicy } from './target-policy.ts';

// WITAN_SSRF_CASES names the folder that contains `ssrf-cases.json`, by default `shared/data`
// beside the repository. The cases are from public sources and not part of this repository.
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = process.env['WITAN_SSRF_CASES'] ?? `${repository}../shared/data`;
const present = existsSync(`${folder}/ssrf-cases.json`);
const describeCases = present ? describe : describe.skip;
const absent = present ? '' : ' (skipped: WITAN_SSRF_CASES names no folder with ssrf-cases.json)';
if (!present) process.stderr.write(`libs/service-kit: public SSRF cases${absent}\n`);

type Case = {
  url: string;
  shouldBlock: boolean;
  why: string;
  layer: 'url' | 'dns' | 'response';
  normalizedHost: string | null;
  refusedBy?: string | null;
  resolvesTo?: string[];
  sequence?: string[][];
};

const cases = present
  ? (JSON.parse(readFileSync(`${folder}/ssrf-cases.json`, 'utf8')) as Case[])
  : [];
/**
 * Returns the cases of a layer as rows for `it.each`. Without case files it returns one row, which
 * never runs, because Jest rejects an empty table.
 */
const rowsOf = (layer: Case['layer']): [string, string, Case][] => {
  const rows = cases.filter((testCase) => testCase.layer === layer);
  if (!present) return [['no cases', 'absent', {} as Case]];
  return rows.map((testCase) => [JSON.stringify(testCase.url), testCase.why, testCase]);
};

const policy = parseTargetPolicy([], 'production');

/** Patterns of `refusedBy` values that are not rule names, each with the corresponding rule. */
const RULE_BY_PATTERN: readonly [RegExp, TargetRule][] = [
  [/^raw /, 'characters'],
  [/^(host|single label|reserved name|tld not alphabetic)$/, 'name'],
  [/^(ip literal|resolves to) /, 'address'],
];
const toRule = (refusedBy: string): string =>
  RULE_BY_PATTERN.find(([pattern]) => pattern.test(refusedBy))?.[1] ?? refusedBy;

const refusalOf = (error: unknown): { failure: string; rule: string | undefined } => {
  if (error instanceof OutboundError) return { failure: error.failure, rule: error.rule };
  throw error;
};

describeCases(`public SSRF cases: URLs${absent}`, () => {
  it.each(rowsOf('url'))('%s: %s', (_url, _why, testCase) => {
    const evaluate = () => {
      try {
        return new URL(parseTargetUrl(testCase.url, policy).href).host;
      } catch (error) {
        return refusalOf(error);
      }
    };
    const refusal = { failure: 'blocked_address', rule: toRule(testCase.refusedBy ?? '') };
    expect(evaluate()).toEqual(testCase.shouldBlock ? refusal : testCase.normalizedHost);
  });
});

describeCases(`public SSRF cases: DNS${absent}`, () => {
  it.each(rowsOf('dns'))('%s: %s', async (_url, _why, testCase) => {
    const target = parseTargetUrl(testCase.url, policy);
    expect(target.hostname).toBe(testCase.normalizedHost);
    const lookups = testCase.sequence ?? [testCase.resolvesTo ?? []];
    const results = [];
    for (const addresses of lookups) {
      const lookup = async () => addresses;
      const { signal } = new AbortController();
      results.push(await resolveTarget(target, { lookup, signal }).catch(refusalOf));
    }
    const refusal =
      testCase.refusedBy === 'no address'
        ? { failure: 'dns', rule: undefined }
        : { failure: 'blocked_address', rule: 'address' };
    expect(results).toEqual(testCase.shouldBlock ? [...lookups.slice(0, -1), refusal] : lookups);
  });
});

type Expected = { path?: string; call?: Partial<OutboundCall>; result: object };

const DONE = Buffer.from('{"done":true}');
const BUDGET = { timeoutMs: 300 };
const failed = (failure: string, status?: number) => ({ ok: false, failure, status });

const RESPONSES: Readonly<Record<string, Expected>> = {
  'redirect-308-https-public': { path: 'moved', result: failed('http_status', 308) },
  drip: { call: BUDGET, result: failed('timeout') },
  'slow-headers': { path: 'hang', call: BUDGET, result: failed('timeout') },
  'big-200MB': { path: 'endless', result: failed('response_too_large') },
  // undici rejects the first 100 response immediately; the time limit of the call covers other 1xx
  // responses.
  '100-continue-flood': { path: 'continue-flood', result: failed('connect') },
  'header-flood': { result: failed('response_too_large') },
  'expired-cert': { result: failed('tls') },
  'wrong-host-cert': { result: failed('tls') },
  'proxy-env': { path: 'ok', result: { ok: true, status: 200, body: DONE } },
  'response-reflection': { path: 'error', result: failed('http_status', 500) },
};

describeCases(`public SSRF cases: answers${absent}`, () => {
  const certificates = {
    'expired-cert': createTestCertificate([RECEIVER], { notAfter: new Date(2020, 1, 1) }),
    'wrong-host-cert': createTestCertificate(['other.fixture']),
    other: createTestCertificate([RECEIVER]),
  };
  const receivers = new Map<string, Awaited<ReturnType<typeof openGuardedFixture>>>();
  let client: GuardedClient;
  beforeAll(async () => {
    const ca = Object.values(certificates)
      .map(({ cert }) => cert)
      .join('');
    client = createGuardedClient({ policy: LISTED, lookup: onLoopback, ca });
    for (const [name, certificate] of Object.entries(certificates)) {
      receivers.set(name, await openGuardedFixture(certificate));
    }
  });
  afterAll(async () => {
    await client.close();
    await Promise.all([...receivers.values()].map((receiver) => receiver.close()));
  });

  it.each(rowsOf('response'))('%s: %s', async (_url, _why, testCase) => {
    const name = new URL(testCase.url).pathname.slice(1);
    const expected = RESPONSES[name];
    if (!expected) throw new Error(`No test knows the case ${name}: add it to RESPONSES.`);
    const receiver = receivers.get(name) ?? receivers.get('other');
    const url = receiver?.urlOf(expected.path ?? name) ?? '';
    const result: OutboundResult = await client.post(callOf(url, expected.call));
    // Compares the whole result, because a failure must not contain any part of the response.
    expect(result).toEqual(expected.result);
  });
});
