import { BlockList, isIP, SocketAddress } from 'node:net';

/** Networks that are no part of the public internet (docs/spec/egress.md#addresses). */
const deniedNetworks = {
  ipv4: [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ],
  ipv6: [
    // Also ::1, and addresses whose last 32 bits are an IPv4 address (deprecated).
    ['::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['3fff::', 20],
    ['5f00::', 16],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
} as const;

const denied = new BlockList();
for (const family of ['ipv4', 'ipv6'] as const) {
  for (const [network, bits] of deniedNetworks[family]) denied.addSubnet(network, bits, family);
}

/**
 * Whether an address is outside of the public internet, itself or by the IPv4 address inside it. What is no address is denied.
 */
export function isDeniedAddress(text: string): boolean {
  const forms = addressForms(text);
  return forms.length === 0 || forms.some((address) => denied.check(address, familyOf(address)));
}

/** An address and the IPv4 address it stands for, in canonical form; none for what is no address or names a zone. */
export function addressForms(text: string): readonly string[] {
  if (isIP(text) === 0 || text.includes('%')) return [];
  if (isIP(text) === 4) return [text];
  const groups = groupsOf(text);
  const inner = innerIpv4(groups);
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  // The list of Node tests mapped addresses as IPv4 itself, so the whole form would only repeat it.
  return inner === undefined ? [address] : isMapped(groups) ? [inner] : [address, inner];
}

/** The eight numbers of an IPv6 address. */
function groupsOf(text: string): readonly number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const plain =
    dotted === null ? text : `${dotted[1]}${hexOf(dotted[2], dotted[3])}:${hexOf(dotted[4], dotted[5])}`;
  const [head = '', tail] = plain.split('::');
  const before = numbersOf(head);
  if (tail === undefined) return before;
  const after = numbersOf(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function hexOf(high = '0', low = '0'): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}

function numbersOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

/** The IPv4 address within a mapped, translated or 6to4 address. */
function innerIpv4(groups: readonly number[]): string | undefined {
  const translated =
    groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  if (isMapped(groups) || translated) return dottedOf(groups[6], groups[7]);
  if (groups[0] === 0x2002) return dottedOf(groups[1], groups[2]);
  return undefined;
}

function dottedOf(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
