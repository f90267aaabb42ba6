import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net';

/** Entries a list may have. */
export const mostAddresses = 64;

/** Bits of an IPv6 address before the IPv4 address that it maps. */
const mappedBits = 96;

/**
 * Reads an entry of a list of addresses: an IPv4 or IPv6 address, or a network in CIDR notation. Returns its canonical
 * form, an IPv4-mapped IPv6 address as IPv4.
 * @throws RangeError saying what an entry must be.
 */
export function readAddressEntry(text: string): string {
  const [, written = '', bits] = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text.trim()) ?? [];
  const folded = foldAddress(written);
  if (folded === undefined) throw notAnEntry();
  if (bits === undefined) return folded;
  const isFolded = isIP(written) !== isIP(folded);
  const prefix = Number(bits) - (isFolded ? mappedBits : 0);
  if (prefix < 0 || prefix > (isIP(folded) === 4 ? 32 : 128)) throw notAnEntry();
  return `${folded}/${prefix}`;
}

/** Compiled lists. An array is the same one for as long as its key is cached. */
const compiled = new WeakMap<readonly string[], BlockList>();

/** Whether an address is one of a list's entries, or in one of its networks. An unknown address is in no list. */
export function listsAddress(entries: readonly string[], address: string | undefined): boolean {
  const folded = address === undefined ? undefined : foldAddress(address);
  if (folded === undefined) return false;
  let list = compiled.get(entries);
  if (list === undefined) {
    list = compile(entries);
    compiled.set(entries, list);
  }
  return list.check(folded, familyOf(folded));
}

function compile(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

/** The canonical form of an address, an IPv4-mapped one as IPv4; undefined when it is no address. */
export function foldAddress(text: string): string | undefined {
  // A zone names an interface of one machine.
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: familyOf(text) });
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function notAnEntry(): RangeError {
  return new RangeError('must be an IP address or a network such as 10.0.0.0/8');
}

/** Groups of an IPv6 address, and those that name the network of one customer. */
const groups = 8;
const networkGroups = 4;

/** What one customer has: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%', 1).join().split('::');
  const first = partsOf(head);
  const last = partsOf(tail ?? '');
  const missing = tail === undefined ? 0 : groups - first.length - last.length;
  const all = [...first, ...Array<string>(Math.max(0, missing)).fill('0'), ...last];
  return all
    .slice(0, networkGroups)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** An IPv4 address at the end takes the place of two groups. */
function partsOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => (part.includes('.') ? ['0', '0'] : [part]));
}
