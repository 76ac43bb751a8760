import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { checkCall } from './check-call.ts';
import type { CallEvidence, CheckName } from './check-call.ts';

const VECTORS = new URL('../../../../libs/proof/vectors/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, VECTORS), 'utf8');

const EVIDENCE: CallEvidence = {
  certificate: read('certificate.json'),
  publicKeys: read('public-key.json'),
  workspaceId: 'ws_01JZ8Q4T9V6W3X2Y1Z0A5B7C8D',
  previous: null,
  request: read('request.json'),
  response: read('response.json'),
};

const statesOf = (evidence: CallEvidence): Record<string, string> =>
  Object.fromEntries(checkCall(evidence).map(({ name, state }) => [name, state]));

const PASSED = {
  form: 'passed',
  hash: 'passed',
  signature: 'passed',
  chain: 'passed',
  request: 'passed',
  response: 'passed',
};

describe('checkCall', () => {
  it('passes every check of a genuine certificate with its bodies', () => {
    expect(statesOf(EVIDENCE)).toEqual(PASSED);
  });

  it('makes no check of a body that is not given', () => {
    const { request: _request, response: _response, ...rest } = EVIDENCE;
    expect(statesOf(rest)).toEqual({ ...PASSED, request: 'skipped', response: 'skipped' });
  });

  const changes: [CheckName, Partial<CallEvidence>][] = [
    ['form', { certificate: EVIDENCE.certificate.replace('"Ed25519"', '"RSA"') }],
    ['hash', { certificate: EVIDENCE.certificate.replace('"totalTokens":17', '"totalTokens":18') }],
    ['chain', { workspaceId: 'ws_other' }],
    ['chain', { previous: EVIDENCE.certificate }],
    ['request', { request: EVIDENCE.request!.replace('Zoë', 'Zoe') }],
    ['response', { response: EVIDENCE.response!.replace('Zoë', 'Zoe') }],
    ['signature', { publicKeys: '{}' }],
  ];

  it.each(changes)('fails the check %s for %j', (name, change) => {
    expect(statesOf({ ...EVIDENCE, ...change })[name]).toBe('failed');
  });

  it('does not check the link of a certificate that is not sound', () => {
    const certificate = EVIDENCE.certificate.replace('"totalTokens":17', '"totalTokens":18');
    expect(statesOf({ ...EVIDENCE, certificate }).chain).toBe('skipped');
  });
});
