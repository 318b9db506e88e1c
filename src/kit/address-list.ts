import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { groupsOf } from './addresses.ts';

/** Whether the text can stand on a list: an address or a CIDR range, IPv4 or IPv6. */
export function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/**
 * The one spelling of an address, however a socket or a proxy writes it: `::ffff:a.b.c.d` of a dual-stack socket is
 * a.b.c.d, a port and brackets are dropped.
 * @returns null for what is not an address
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

/** The one spelling of an address or range, as PostgreSQL takes it. @param entry {@link isAddressOrRange} */
export function plainRange(entry: string): string {
  const [text = '', bits] = entry.split('/');
  const address = plainAddress(text) ?? text;
  if (bits === undefined) return address;
  const length = Number(bits) - (isIPv4(address) && !isIPv4(text) ? 96 : 0);
  // A shorter prefix of ::ffff:0:0 spans more than IPv4.
  return length < 0 ? `${text}/${Number(bits)}` : `${address}/${length}`;
}

/** Whom an address belongs to: itself, or of IPv6 the /64, which is the least that one subscriber gets. */
export function subscriberOf(address: string): string {
  return address.includes(':') ? `${address.split(':').slice(0, 4).join(':')}::/64` : address;
}

/** Addresses and CIDR ranges of both families, read once. */
export class AddressList {
  // Apart: one BlockList would match IPv4 ranges against IPv6 forms of its own choosing.
  readonly #lists = { 4: new BlockList(), 6: new BlockList() };
  readonly size: number;

  /** @param entries each {@link isAddressOrRange} */
  constructor(entries: readonly string[]) {
    this.size = entries.length;
    for (const entry of entries) this.#add(entry);
  }

  /** @param address as {@link plainAddress} gives it */
  has(address: string): boolean {
    const family = isIPv4(address) ? 4 : 6;
    return this.#lists[family].check(address, family === 4 ? 'ipv4' : 'ipv6');
  }

  #add(entry: string): void {
    const [text = '', bits] = entry.split('/');
    const address = plainAddress(text);
    if (address === null) throw new Error(`not an address: ${text}`);
    const mapped = isIPv4(address) && !isIPv4(text);
    // ::ffff:10.0.0.0/104 is 10.0.0.0/8; a shorter prefix of it spans more than IPv4 and names no caller.
    const length = bits === undefined ? undefined : Number(bits) - (mapped ? 96 : 0);
    if (length !== undefined && length < 0) return;
    const [list, family] = isIPv4(address) ? ([this.#lists[4], 'ipv4'] as const) : ([this.#lists[6], 'ipv6'] as const);
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, length, family);
  }
}
