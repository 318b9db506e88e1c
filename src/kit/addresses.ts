import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 ranges that do not lead to a public host (IANA special-purpose registry), and 168.63.129.16, a public address that the
 * host agent answers on inside Azure.
 */
const REFUSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
];

/**
 * The only IPv6 block with public hosts. All other blocks are rejected: loopback, unique local, link-local, IPv4-mapped
 * ::ffff:a.b.c.d, NAT64 64:ff9b::, discard 100::, segment routing 5f00::.
 */
const GLOBAL_V6 = '2000::/3';

/** Non-public ranges within the global block: protocol assignments with Teredo, documentation, 6to4, documentation. */
const REFUSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const refused = blockList([...REFUSED_V4, ...REFUSED_V6]);
const global = blockList([GLOBAL_V6]);
// A separate list: a list that contains IPv4 ranges also matches their IPv4-mapped IPv6 forms.
const loopbackV6 = blockList(['::1/128']);

/**
 * Returns whether a connection to this address goes to the public internet. IPv6 addresses that embed an IPv4 address are
 * always rejected, because a translator on the route could deliver them to any host.
 * @param ip address as written by a resolver or a socket; any other text is not public
 */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !refused.check(ip, 'ipv4');
  if (!isIPv6(ip) || ip.includes('%')) return false;
  return global.check(ip, 'ipv6') && !refused.check(ip, 'ipv6') && !isIsatap(ip);
}

/** Returns whether the address is in 127.0.0.0/8 or is ::1. IPv4-mapped forms are not accepted. */
export function isLoopbackAddress(ip: string): boolean {
  return isIPv4(ip) ? ip.startsWith('127.') : isIPv6(ip) && loopbackV6.check(ip, 'ipv6');
}

/** Returns whether the host of a URL or of a Host header, without its port, is this machine. Brackets of IPv6 are accepted. */
export function isLoopbackHost(host: string): boolean {
  return isLocalhostName(host) || isLoopbackAddress(host.replace(/^\[(.*)\]$/, '$1'));
}

/** Returns whether the name is `localhost` or a subdomain of it (RFC 6761), with or without the trailing dot. */
export function isLocalhostName(hostname: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(hostname);
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, bits] = range.split('/') as [string, string];
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** ISATAP: an interface id that starts with 0:5efe or 200:5efe embeds an IPv4 address (RFC 5214). */
function isIsatap(ip: string): boolean {
  const groups = groupsOf(ip);
  return groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200);
}

/** Returns the eight 16-bit groups of a valid IPv6 address. */
export function groupsOf(ip: string): number[] {
  // The URL parser normalises every spelling: dotted tail, upper case, leading zeros.
  const [head, tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string | undefined) => (text ? text.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [left, right] = [numbers(head), numbers(tail)];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}
