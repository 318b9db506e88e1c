import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { groupsOf } from './addresses.ts';

/** Returns whether the text is valid in an address list: an IPv4 or IPv6 address, or a CIDR range. */
export function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/**
 * Normalises an address as written by a socket or a proxy: the IPv4-mapped form `::ffff:a.b.c.d` of a dual-stack socket
 * becomes `a.b.c.d`; a port, brackets and a zone id are removed.
 * @returns the normalised address, or null when the text is not an address
 */
export function plainAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d{1,5})?$/, '$1')
    .replace(/^([\d.]+):\d{1,5}$/, '$1');
  if (isIPv4(bare)) return bare;
  const [address = ''] = bare.split('%');
  if (!isIPv6(address)) return null;
  const groups = groupsOf(address);
  const [high, low] = groups.slice(6) as [number, number];
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return groups.map((group) => group.toString(16)).join(':');
}

/**
 * Normalises an address or a CIDR range for PostgreSQL.
 * @param entry valid by {@link isAddressOrRange}
 */
export function plainRange(entry: string): string {
  const [text = '', bits] = entry.split('/');
  const address = plainAddress(text) ?? text;
  if (bits === undefined) return address;
  const length = Number(bits) - (isIPv4(address) && !isIPv4(text) ? 96 : 0);
  // A prefix of ::ffff:0:0 shorter than 96 bits covers more than IPv4, so it stays an IPv6 range.
  return length < 0 ? `${text}/${Number(bits)}` : `${address}/${length}`;
}

/**
 * Returns the subscriber an address belongs to: the IPv4 address itself, or the /64 of an IPv6 address, the smallest block
 * that a subscriber is given.
 */
export function subscriberOf(address: string): string {
  return address.includes(':') ? `${address.split(':').slice(0, 4).join(':')}::/64` : address;
}

/** Set of IPv4 and IPv6 addresses and CIDR ranges, parsed once. */
export class AddressList {
  // One list per family: a single BlockList would also match IPv4 ranges against IPv6 forms that it derives itself.
  readonly #lists = { 4: new BlockList(), 6: new BlockList() };
  readonly size: number;

  /**
   * @param entries each valid by {@link isAddressOrRange}
   * @throws Error for an entry that is not an address
   */
  constructor(entries: readonly string[]) {
    this.size = entries.length;
    for (const entry of entries) this.#add(entry);
  }

  /**
   * Returns whether an entry covers the address.
   * @param address as returned by {@link plainAddress}
   */
  has(address: string): boolean {
    const family = isIPv4(address) ? 4 : 6;
    return this.#lists[family].check(address, family === 4 ? 'ipv4' : 'ipv6');
  }

  #add(entry: string): void {
    const [text = '', bits] = entry.split('/');
    const address = plainAddress(text);
    if (address === null) throw new Error(`not an address: ${text}`);
    const mapped = isIPv4(address) && !isIPv4(text);
    // ::ffff:10.0.0.0/104 is 10.0.0.0/8. A prefix shorter than 96 bits covers more than IPv4 and matches no caller.
    const length = bits === undefined ? undefined : Number(bits) - (mapped ? 96 : 0);
    if (length !== undefined && length < 0) return;
    const [list, family] = isIPv4(address) ? ([this.#lists[4], 'ipv4'] as const) : ([this.#lists[6], 'ipv6'] as const);
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, length, family);
  }
}
