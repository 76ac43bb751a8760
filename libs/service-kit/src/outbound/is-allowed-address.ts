import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Range of global unicast addresses (RFC 4291 2.4). ipaddr.js also counts unassigned ranges outside
 * of it as unicast, which must not be allowed.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const GLOBAL_UNICAST_BITS = 3;

/**
 * Non-public ranges that are allowed for listed targets. Link-local is not among them, because
 * clouds serve instance metadata there.
 */
const PRIVATE_RANGES = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal']);

/**
 * Instance metadata services outside of the link-local range: Azure, Alibaba, Oracle, AWS and
 * Google. They are refused because they serve credentials.
 */
const METADATA_ADDRESSES = new Set(
  ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map(
    (address) => ipaddr.parse(address).toNormalizedString(),
  ),
);

/**
 * Returns true for public addresses, and for private addresses of a listed target. Returns false
 * for link-local, metadata, multicast and reserved addresses, and for a translation that hides an
 * IPv4 address (NAT64, 6to4, Teredo); an IPv4-mapped address counts as its IPv4 address. Returns
 * false for text that is not an address in common notation, or has a zone.
 */
export const isAllowedAddress = (text: string, { isListed }: { isListed: boolean }): boolean => {
  // Refused, because ipaddr.js also parses octal, hex and single-number forms, which other parsers
  // read as other addresses.
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.process(isIPv6(text) ? toHexGroups(text) : text);
  if (METADATA_ADDRESSES.has(address.toNormalizedString())) return false;
  const range = address.range();
  if (isListed && PRIVATE_RANGES.has(range)) return true;
  if (range !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS);
};

/**
 * Converts an IPv6 address to hex groups, because ipaddr.js parses `::127.0.0.1` as IPv4-mapped,
 * unlike the operating system.
 */
const toHexGroups = (address: string): string =>
  new URL(`http://[${address}]/`).hostname.slice(1, -1);
