import { isIPv6 } from 'node:net';

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
