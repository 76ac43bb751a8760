import { describe, expect, it } from '@jest/globals';
import { OutboundError } from './outbound-error.ts';
import type { TargetRule } from './outbound-error.ts';
import { parseTargetUrl, URL_LENGTH_MAX } from './parse-target-url.ts';
import { parseTargetPolicy } from './target-policy.ts';

const NOTHING_LISTED = parseTargetPolicy([], 'production');

const ruleOf = (raw: string, policy = NOTHING_LISTED): TargetRule | 'accepted' | undefined => {
  try {
    parseTargetUrl(raw, policy);
    return 'accepted';
  } catch (error) {
    if (error instanceof OutboundError && error.failure === 'blocked_address') return error.rule;
    throw error;
  }
};

const REFUSED: Record<TargetRule, string[]> = {
  length: [
    `https://example.com/${'x'.repeat(URL_LENGTH_MAX)}`,
    `https://example.com/${'é'.repeat(500)}`,
  ],
  characters: [
    'https://exa mple.com/',
    ' https://example.com/',
    'https://example.com/\n',
    'https://exam\tple.com/',
    'https:\\\\example.com/',
    'https://example.com\\@127.0.0.1/',
    'https://example.com/\u0000',
    'https://example.com/\u200b',
    'https://example\u00ad.com/',
    'https://example.com/\u3000',
    'https://example.com/\ud800',
  ],
  unparsable: [
    '',
    'example.com',
    '//example.com/',
    'https://',
    'https://[::1',
    'https://1.2.3.4.5/',
    'https://[fe80::1%25eth0]/',
    'https://a%00.com/',
    'https://example.com:65536/',
  ],
  scheme: [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'wss://example.com/',
  ],
  userinfo: [
    'https://user@example.com/',
    'https://:secret@example.com/',
    'https://@example.com/',
    'https:user@example.com/',
  ],
  fragment: ['https://example.com/#part', 'https://example.com/#'],
  port: ['https://example.com:8443/', 'https://example.com:80/', 'https://example.com:0/'],
  name: [
    'https://localhost/',
    'https://LOCALHOST./',
    'https://intranet/',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://metadata.google.internal./',
    'https://ledger.default.svc/',
    'https://ledger.default.svc.cluster.local/',
    'https://router.home.arpa/',
    'https://example.com../',
    'https://a..com/',
    'https://-a.com/',
    'https://*.example.com/',
    `https://${'a'.repeat(64)}.com/`,
    `https://${'a.'.repeat(127)}com/`,
    'https://example.c0m/',
    'https://example.x/',
  ],
  address: [
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://169.254.169.254/latest/meta-data/',
  ],
};

describe('parseTargetUrl', () => {
  describe.each(Object.entries(REFUSED))('refuses because of its %s', (rule, urls) => {
    it.each(urls)('%j', (raw) => {
      expect(ruleOf(raw)).toBe(rule);
    });
  });

  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://Example.COM:443/a?b=%20c', 'https://example.com/a?b=%20c'],
    ['https://example.com./a', 'https://example.com/a'],
    ['https://ⓔⓧⓐⓜⓟⓛⓔ.ⓒⓞⓜ/', 'https://example.com/'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['https://my_bucket.example.com/', 'https://my_bucket.example.com/'],
    ['https://notlocalhost.com/', 'https://notlocalhost.com/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1111]:443/', 'https://[2606:4700::1111]/'],
    ['https://example.com/a/../b', 'https://example.com/b'],
  ])('normalises %s to %s', (raw, href) => {
    expect(parseTargetUrl(raw, NOTHING_LISTED).href).toBe(href);
    expect(parseTargetUrl(href, NOTHING_LISTED).href).toBe(href);
  });

  it('returns all parts of the URL', () => {
    expect(parseTargetUrl('https://[2606:4700::1111]/a?b=c', NOTHING_LISTED)).toEqual({
      href: 'https://[2606:4700::1111]/a?b=c',
      origin: 'https://[2606:4700::1111]',
      path: '/a?b=c',
      hostname: '2606:4700::1111',
      isListed: false,
    });
  });
});

describe('parseTargetUrl with listed targets', () => {
  const listed = ['receiver', 'hooks.internal:8443', '10.0.0.1', '169.254.169.254'];
  const production = parseTargetPolicy(listed, 'production');
  const development = parseTargetPolicy(listed, 'development');

  it.each([
    'https://receiver/',
    'https://receiver:9000/',
    'https://RECEIVER.:9000/',
    'https://hooks.internal:8443/',
    'https://10.0.0.1:1/',
  ])('accepts %s', (raw) => {
    expect(parseTargetUrl(raw, production)).toMatchObject({ isListed: true });
  });

  it.each([
    ['https://hooks.internal/', 'name'],
    ['https://a.hooks.internal:8443/', 'port'],
    ['https://10.0.0.2/', 'address'],
    ['https://user@receiver/', 'userinfo'],
    ['https://receiver/#a', 'fragment'],
    ['ftp://receiver/', 'scheme'],
    ['https://169.254.169.254/', 'address'],
  ])('refuses %s because of its %s', (raw, rule) => {
    expect(ruleOf(raw, development)).toBe(rule);
  });

  it('accepts plain http in development only, and of listed targets only', () => {
    expect(ruleOf('http://receiver:8080/', development)).toBe('accepted');
    expect(ruleOf('http://receiver:8080/', production)).toBe('scheme');
    expect(ruleOf('http://example.com/', development)).toBe('scheme');
    expect(ruleOf('http://hooks.internal/', development)).toBe('scheme');
  });
});
