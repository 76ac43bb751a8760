import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../test/provider-answers.ts';
import { forwardedHeaders } from './ending.ts';

const openWithHeaders = (headers: Record<string, string>): Record<string, string> =>
  forwardedHeaders(answerOf([], { headers }));

describe('forwarded provider headers', () => {
  it.each([
    'retry-after',
    'retry-after-ms',
    'x-should-retry',
    'x-ratelimit-remaining-tokens',
    'anthropic-ratelimit-requests-reset',
  ])('include retry advice: %s', (name) => {
    expect(openWithHeaders({ [name]: '7' })).toEqual({ [name]: '7' });
  });

  it.each([
    'set-cookie',
    'server',
    'content-type',
    'content-length',
    'content-encoding',
    'openai-organization',
    'anthropic-organization-id',
    'x-service-proof',
    'x-retry-after',
    'retry-after-x',
  ])('exclude all others: %s', (name) => {
    expect(openWithHeaders({ [name]: '7' })).toEqual({});
  });

  it.each(['x-request-id', 'request-id'])('include %s under another name', (name) => {
    expect(openWithHeaders({ [name]: 'req_up' })).toEqual({ 'x-upstream-request-id': 'req_up' });
  });
});
