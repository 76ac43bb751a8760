import { describe, expect, it } from '@jest/globals';
import { isAllowedAddress } from './is-allowed-address.ts';

const PUBLIC = ['1.1.1.1', '100.63.255.254', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'];

const PRIVATE = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.0.1',
  '127.0.0.1',
  '100.64.0.1',
  '::1',
  'fd00::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
];

const NEVER = {
  'link-local': ['169.254.1.1', '169.254.169.254', 'fe80::1', '::ffff:169.254.169.254'],
  'instance metadata': [
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    'fd20:ce:0::254',
  ],
  NAT64: ['64:ff9b::8.8.8.8', '64:ff9b::7f00:1', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1', '192.88.99.1'],
  Teredo: ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  translated: ['::ffff:0:127.0.0.1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  multicast: ['224.0.0.1', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  reserved: ['192.0.2.1', '198.18.0.1', '203.0.113.1', '240.0.0.1', '2001:db8::1', '3fff::1'],
  unassigned: ['4000::1', '5f00::1', 'fec0::1', '100::1'],
  'with a zone': ['fe80::1%eth0', '2606:4700::1111%eth0', '::1%lo'],
  'in another notation': ['2130706433', '0x7f000001', '017700000001', '127.1', '0177.0.0.1'],
  'not an address': ['', 'localhost', '1.2.3', '1.2.3.4.5', '8.8.8.8:443', '[::1]', '8.8.8.8 '],
};

describe('isAllowedAddress', () => {
  it.each(PUBLIC)('allows %s, which is public', (address) => {
    expect(isAllowedAddress(address, { isListed: false })).toBe(true);
    expect(isAllowedAddress(address, { isListed: true })).toBe(true);
  });

  it.each(PRIVATE)('allows %s, which is private, to a listed target only', (address) => {
    expect(isAllowedAddress(address, { isListed: false })).toBe(false);
    expect(isAllowedAddress(address, { isListed: true })).toBe(true);
  });

  it.each(
    Object.entries(NEVER).flatMap(([kind, addresses]) =>
      addresses.map((address) => [address, kind]),
    ),
  )('never allows %s (%s)', (address) => {
    expect(isAllowedAddress(address, { isListed: false })).toBe(false);
    expect(isAllowedAddress(address, { isListed: true })).toBe(false);
  });
});
