import { formatUsd, parsePricePerMillion, parsePricePerUnit, parseUsd } from '../core/money.ts';
import { readAddressEntry } from '../util/address-list.ts';
import { marked, type TSchema, type TUnsafe, Type, type Unit } from '../util/json-schema.ts';
import { readProxyAddress } from '../util/proxy-address.ts';
import { readRedisAddress } from '../util/redis-address.ts';
import { Secret } from '../util/secret.ts';
import { readWebhookSecret } from '../util/webhook-secret.ts';

const durationFactors = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const sizeFactors = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

// Beyond it a timer of the runtime fires at once instead of late.
const longestDuration = 2 ** 31 - 1;

/** The units of values that are written as text. */
export const units = {
  duration: unit(
    'duration',
    'a duration such as 500ms, 10s, 2m or 1h, at most 596h',
    readDuration,
    formatDuration,
  ),
  positiveDuration: unit(
    'positive duration',
    'a duration above 0 such as 500ms, 10s, 2m or 1h, at most 596h',
    readPositiveDuration,
    formatDuration,
  ),
  size: unit('size', 'a size such as 512KiB, 32MiB or a number of bytes', readSize),
  secret: unit('secret', 'text that is not empty', readSecret),
  usd: unit(
    'usd',
    'an amount of USD from 0 with at most 9 digits after the point',
    notNegative(parseUsd),
    formatUsd,
  ),
  pricePerMillion: unit(
    'price per million',
    'USD per million tokens from 0 with at most 6 digits after the point',
    notNegative(parsePricePerMillion),
  ),
  pricePerUnit: unit(
    'price per unit',
    'USD from 0 with at most 12 digits after the point',
    notNegative(parsePricePerUnit),
  ),
  rate: unit('rate', 'a fraction from 0 to 1 with at most 4 digits after the point', readRate),
  network: unit('network', 'an address or a network such as 10.0.0.0/8', readNetwork),
  httpUrl: unit('http url', 'an http:// or https:// address without credentials', readHttpUrl),
  publicUrl: unit(
    'public url',
    'an http:// or https:// address without credentials, query and fragment, such as https://ai.example/gateway',
    readPublicUrl,
  ),
  databaseUrl: unit(
    'database url',
    'sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters percent-encoded',
    readDatabaseUrl,
  ),
  redisUrl: unit(
    'redis url',
    'redis://..., redis-cluster://... or redis-sentinel://.../primary-name, with rediss for TLS',
    readRedisUrl,
  ),
  proxy: unit('proxy', 'an http:// or https:// proxy such as http://proxy.example:3128', readProxyAddress),
  ownProxy: unit(
    'own proxy',
    'none, or an http:// or https:// proxy such as http://proxy.example:3128',
    (text) => (text === 'none' ? ('none' as const) : readProxyAddress(text)),
  ),
  webhookSecret: unit('webhook secret', 'whsec_ and 24 to 64 bytes in base64', readSigningSecret),
  masterKey: unit('master key', '32 bytes in base64', readMasterKey),
} as const;

/** A unit of its own. */
export function unit<Value>(
  name: string,
  allowed: string,
  read: (text: string) => Value,
  format?: (value: Value) => string,
): Unit<Value> {
  return { name, allowed, read, format };
}

/** A value that is written in a unit. */
export function withUnit<Value>(unit: Unit<Value>, schema: TSchema): TUnsafe<Value> {
  return marked(Type.Unsafe<Value>(schema), { unit });
}

function readDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  if (match === null) throw new RangeError('is not a duration');
  const milliseconds = Math.round(
    Number(match[1]) * durationFactors[match[2] as keyof typeof durationFactors],
  );
  if (milliseconds > longestDuration) throw new RangeError('is too long');
  return milliseconds;
}

/** A duration as it can be written: in seconds, or in milliseconds where those are not whole. */
export function formatDuration(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}

function readPositiveDuration(text: string): number {
  const milliseconds = readDuration(text);
  if (milliseconds === 0) throw new RangeError('is not above 0');
  return milliseconds;
}

function readSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|KiB|MiB|GiB)?$/.exec(text.trim());
  if (match === null) throw new RangeError('is not a size');
  const bytes = Math.round(Number(match[1]) * sizeFactors[(match[2] ?? 'B') as keyof typeof sizeFactors]);
  if (bytes < 1 || !Number.isSafeInteger(bytes)) throw new RangeError('is out of bounds');
  return bytes;
}

/** No credential has spaces or line ends around it; files and variables they come from often do. */
function readSecret(text: string): Secret {
  const secret = text.trim();
  if (secret === '') throw new RangeError('is empty');
  return new Secret(secret);
}

function readMasterKey(text: string): Secret {
  // Several are apart by commas or line breaks: the first one is current, the others only open.
  const keys = text.split(/[\s,]+/).filter((word) => word !== '');
  if (keys.length === 0 || keys.some((key) => Buffer.from(key, 'base64').length !== 32)) {
    throw new RangeError('is not 32 bytes in base64');
  }
  return new Secret(text);
}

function readSigningSecret(text: string): Secret {
  readWebhookSecret(text.trim());
  return new Secret(text.trim());
}

function readNetwork(text: string): string {
  try {
    return readAddressEntry(text);
  } catch {
    throw new RangeError('is neither an IP address nor a network');
  }
}

function readHttpUrl(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:') {
    throw new RangeError('is not an http:// or https:// address');
  }
  if (address.username !== '' || address.password !== '') throw new RangeError('holds credentials');
  return text.trim().replace(/\/+$/, '');
}

/** Its path stands in pages as it is. */
function readPublicUrl(text: string): string {
  const url = readHttpUrl(text);
  const { pathname, search, hash } = new URL(url);
  if (search !== '' || hash !== '' || /[?#]/.test(url)) throw new RangeError('has a query or a fragment');
  if (!/^(\/[\w.~-]+)*\/?$/.test(pathname))
    throw new RangeError('has a path with characters other than letters, digits and -._~');
  return url;
}

/** What is charged by it is reckoned in hundredths of a per cent. */
function readRate(text: string): number {
  const rate = Number(text);
  if (!/\d/.test(text) || Number.isNaN(rate)) throw new RangeError('is not a decimal number');
  if (rate < 0) throw new RangeError('is below 0');
  if (rate > 1) throw new RangeError('is above 1');
  if (Number(rate.toFixed(4)) !== rate) throw new RangeError('has more than 4 digits after the point');
  return rate;
}

function readDatabaseUrl(text: string): string {
  if (/^sqlite:./.test(text)) return text;
  // A slash, hash or question mark in a password ends the host: what follows would be taken, and shown, as something else.
  const url = URL.parse(text);
  const isAddress = /^postgres(ql)?:\/\/./.test(text) && url !== null;
  if (!isAddress || url.hash !== '' || `${url.pathname}${url.search}`.includes('@')) {
    throw new RangeError('is not such an address');
  }
  return text;
}

function readRedisUrl(text: string): string {
  readRedisAddress(text);
  return text;
}

function notNegative<T extends bigint>(parse: (decimal: string | number) => T): (text: string) => T {
  return (text) => {
    const amount = parse(/e/i.test(text) ? Number(text) : text);
    if (amount < 0n) throw new RangeError('is below 0');
    return amount;
  };
}
