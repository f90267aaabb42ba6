import { isIPv6 } from 'node:net';
import type { Span } from '../span.ts';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const version4 = new RegExp(`(?<![\\d.]|\\d-)(?:${octet}\\.){3}${octet}(?![\\d]|\\.\\d)`, 'g');
const version6 = /(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:\.\d{1,3}){0,3}(?![\w:])/g;

/** Addresses of IPv4 in four octets, and of IPv6. */
export function findIpAddresses(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: found } of text.matchAll(version6)) {
    if (found.indexOf(':') === found.lastIndexOf(':') || !/[0-9a-f]/i.test(found) || !isIPv6(found)) continue;
    spans.push({ start: index, end: index + found.length });
  }
  for (const { index, 0: found } of text.matchAll(version4)) {
    spans.push({ start: index, end: index + found.length });
  }
  return spans;
}
