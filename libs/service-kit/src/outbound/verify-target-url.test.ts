import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { LookupAddresses } from './resolve-target.ts';
import { parseTargetPolicy } from './target-policy.ts';
import { verifyTargetUrl } from './verify-target-url.ts';

const policy = parseTargetPolicy(['hooks.internal'], 'production');

const resolvesTo =
  (...addresses: string[]): LookupAddresses =>
  async () =>
    addresses;

const refusalOf = async (raw: string, lookup: LookupAddresses): Promise<unknown> => {
  try {
    return await verifyTargetUrl(raw, { policy, lookup });
  } catch (error) {
    if (error instanceof ServiceError) return { reason: error.reason, ...error.fields };
    throw error;
  }
};

const BLOCKED = { reason: 'INVALID_REQUEST', code: 'blocked_address', param: 'url' };

describe('verifyTargetUrl', () => {
  it('returns the normalised URL of a public host', async () => {
    const lookup = resolvesTo('8.8.8.8', '2606:4700::1111');
    expect(await refusalOf('https://Example.com:443', lookup)).toBe('https://example.com/');
  });

  it('refuses an internal host name without a DNS query', async () => {
    const lookup = () => Promise.reject(new TypeError('DNS was asked.'));
    expect(await refusalOf('https://localhost/', lookup)).toEqual(BLOCKED);
  });

  it('refuses a name when one of its addresses is refused', async () => {
    expect(await refusalOf('https://a.com/', resolvesTo('8.8.8.8', '10.0.0.1'))).toEqual(BLOCKED);
    expect(await refusalOf('https://a.com/', resolvesTo('::ffff:10.0.0.1'))).toEqual(BLOCKED);
  });

  it('accepts a name that does not resolve yet', async () => {
    const lookup = () => Promise.reject(new Error('ENOTFOUND'));
    expect(await refusalOf('https://soon.com/', lookup)).toBe('https://soon.com/');
    expect(await refusalOf('https://soon.com/', resolvesTo())).toBe('https://soon.com/');
  });

  it('accepts a listed name with a private address, but not with the metadata address', async () => {
    const href = 'https://hooks.internal/';
    expect(await refusalOf(href, resolvesTo('10.0.0.1'))).toBe(href);
    expect(await refusalOf(href, resolvesTo('169.254.169.254'))).toEqual(BLOCKED);
  });

  it.each<[string, string, object]>([
    ['no URL', 'not a url', {}],
    ['a path', '/in', {}],
    ['a host alone', 'example.com', {}],
    ['nothing', '', {}],
    ['a URL that is too long', `https://a.com/${'x'.repeat(2_048)}`, {}],
    ['plain http', 'http://a.com/', { code: 'blocked_address' }],
    ['a private address', 'https://10.0.0.8/', { code: 'blocked_address' }],
    ['a user', 'https://a@10.0.0.8/', { code: 'blocked_address' }],
    ['a backslash', 'https://10.0.0.8\\@a.com/', { code: 'blocked_address' }],
  ])('distinguishes an invalid URL from a blocked one: %s', async (_name, raw, code) => {
    const refusal = { reason: 'INVALID_REQUEST', param: 'url', ...code };
    expect(await refusalOf(raw, resolvesTo('8.8.8.8'))).toEqual(refusal);
  });

  it('names the request field of the URL', async () => {
    const refusal = verifyTargetUrl('https://[::1]/', { policy, param: 'baseUrl' });
    await expect(refusal).rejects.toMatchObject({ fields: { param: 'baseUrl' } });
  });

  it('rejects with the reason of an aborted signal', async () => {
    const caller = new AbortController();
    const lookup: LookupAddresses = () => {
      caller.abort(new Error('The caller went away.'));
      return new Promise(() => {});
    };
    const verification = verifyTargetUrl('https://a.com/', {
      policy,
      lookup,
      signal: caller.signal,
    });
    await expect(verification).rejects.toThrow('The caller went away.');
  });
});
