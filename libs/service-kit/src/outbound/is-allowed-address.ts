import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Global unicast (RFC 4291 2.4): elsewhere the library counts unassigned space as unicast. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const GLOBAL_UNICAST_BITS = 3;

/** What a listed target may be beside public; link-local, where clouds keep metadata, stays out. */
const PRIVATE_RANGES = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal']);

/**
 * Addresses inside such ranges, or that look public, where clouds serve credentials and other facts
 * of the machine to whoever asks: Azure, Alibaba, Oracle, AWS and Google.
 */
const METADATA_ADDRESSES = new Set(
  ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map(
    (address) => ipaddr.parse(address).toNormalizedString(),
  ),
);

/**
 * True when a connection to this IP address may be opened: public ones, and for a target that the
 * operator listed private ones too. Never link-local, metadata, multicast, reserved, or a
 * translation that hides an IPv4 address (NAT64, 6to4, Teredo); IPv4-mapped is judged as its IPv4.
 * False for what is no address in its common notation, or carries a zone.
 */
export const isAllowedAddress = (text: string, { isListed }: { isListed: boolean }): boolean => {
  // The library also reads octal, hex and one-number forms; nobody else has to agree with it.
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.process(isIPv6(text) ? toHexGroups(text) : text);
  if (METADATA_ADDRESSES.has(address.toNormalizedString())) return false;
  const range = address.range();
  if (isListed && PRIVATE_RANGES.has(range)) return true;
  if (range !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS);
};

/** The library takes `::127.0.0.1` for IPv4-mapped, the system does not: no dots reach it. */
const toHexGroups = (address: string): string =>
  new URL(`http://[${address}]/`).hostname.slice(1, -1);
