import { describe, expect, it } from '@jest/globals';
import { createRedactAccount } from './redact-account.ts';

const SECRET = '0f3a9c5577aa4c1e8f00';
const redact = createRedactAccount([SECRET]);
const ORGANIZATION_ID = '97d7f6a1-0c39-4c5e-9d3f-2a6f1f0c1b2a';

describe('createRedactAccount', () => {
  it.each([
    ['an organisation', 'Rate limit reached in organization org-AbC123dEf456 on tokens', 'org-Ab'],
    [
      'an organisation by UUID',
      `the rate limit of 50,000 tokens (org: ${ORGANIZATION_ID}, model: m)`,
      ORGANIZATION_ID,
    ],
    [
      'an organisation in brackets',
      `The limit of your organization (${ORGANIZATION_ID}) is reached`,
      ORGANIZATION_ID,
    ],
    ['a project', 'Project `proj_a1B2c3D4e5` has no access to the model', 'proj_a1'],
    ['a user', 'The user user-AbCdEf1234 has no access', 'user-AbC'],
    ['a key', 'Incorrect API key provided: sk-proj-abc_DEF-123456.', 'sk-proj'],
    ['a masked key', 'The key sk-****************a1b2 is over its quota', 'a1b2'],
    ['a bearer token', 'Authorization: Bearer abcdefgh12345 is refused', 'abcdefgh'],
    ['the configured key in any form', `The key ${SECRET} is over its quota`, SECRET],
    ['an e-mail address', 'Contact the owner, billing@acme.example, of the account', 'billing@'],
    ['escaped letters', '\\u006frg-AbC123dEf456 is over its limit', 'AbC123'],
  ])('redacts %s', (_name, message, secret) => {
    const text = `{ "error": {"message": "${message}", "type": "x", "code": null} }`;
    const redacted = redact(text);
    expect(redacted).not.toContain(secret);
    expect(redacted).toContain('[redacted]');
    const { error } = JSON.parse(redacted) as { error: Record<string, unknown> };
    expect(Object.keys(error)).toEqual(['message', 'type', 'code']);
  });

  it('redacts members that identify the account', () => {
    const text = '{"error":{"message":"No."},"organization":"acme","project_id":"p1","id":"x"}';
    expect(JSON.parse(redact(text))).toEqual({
      error: { message: 'No.' },
      organization: '[redacted]',
      project_id: '[redacted]',
      id: 'x',
    });
  });

  it('redacts frames of a stream', () => {
    const frame = 'event: error\ndata: {"error":{"message":"org-AbC123dEf456 is over"}}\n\n';
    expect(redact(frame)).toBe(
      'event: error\ndata: {"error":{"message":"[redacted] is over"}}\n\n',
    );
    expect(redact('data: {"error":{"message":"No."},"organization":"acme"}\r\n\r\n')).toBe(
      'data: {"error":{"message":"No."},"organization":"[redacted]"}\r\n\r\n',
    );
  });

  it.each([
    '{ "error":{"message":"max_tokens is too large: 99999. At most 16384.","param":"max_tokens"} }',
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    '{"error":{"message":"A user-defined tool, org-wide, of the risk-free project."}}',
    '{"error":{"message":"[[EMAIL_K7Q2MX]] is not a valid role","n":1.50e3}}',
  ])('returns a text without identifiers unchanged: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});
