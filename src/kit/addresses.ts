import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 ranges that do not lead to a public host (IANA special-purpose registry), and 168.63.129.16: a public number
 * that inside Azure answers as the host's agent.
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
 * The only IPv6 block with public hosts. Everything else is refused with it: loopback, unique local, link-local,
 * mapped ::ffff:a.b.c.d, NAT64 64:ff9b::, discard 100::, segment routing 5f00::.
 */
const GLOBAL_V6 = '2000::/3';

/** Inside the global block: protocol assignments with Teredo, documentation, 6to4, documentation again. */
const REFUSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const refused = blockList([...REFUSED_V4, ...REFUSED_V6]);
const global = blockList([GLOBAL_V6]);
// Apart: a list with IPv4 ranges in it also matches their mapped IPv6 forms.
const loopbackV6 = blockList(['::1/128']);

/**
 * Whether a connection to this address leaves for the public internet. Addresses that carry an IPv4 address inside
 * an IPv6 one are refused whatever they carry: a translator on the way could lead them anywhere.
 * @param ip as a resolver or a socket writes it; anything that is not an address is not public
 */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !refused.check(ip, 'ipv4');
  if (!isIPv6(ip) || ip.includes('%')) return false;
  return global.check(ip, 'ipv6') && !refused.check(ip, 'ipv6') && !isIsatap(ip);
}

/** 127.0.0.0/8 and ::1; no mapped form. */
export function isLoopbackAddress(ip: string): boolean {
  return isIPv4(ip) ? ip.startsWith('127.') : isIPv6(ip) && loopbackV6.check(ip, 'ipv6');
}

/** `localhost` and every name below it (RFC 6761), also with the root's dot. */
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

/** An interface id of 0:5efe or 200:5efe carries an IPv4 address (RFC 5214). */
function isIsatap(ip: string): boolean {
  const groups = groupsOf(ip);
  return groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200);
}

/** The eight 16-bit groups of a valid IPv6 address. */
export function groupsOf(ip: string): number[] {
  // The URL parser writes every form (dotted tail, upper case, leading zeros) in one way.
  const [head, tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string | undefined) => (text ? text.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [left, right] = [numbers(head), numbers(tail)];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}
