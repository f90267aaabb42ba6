import type { NanoUsd, PicoUsd } from '../core/money.ts';
import { type TUnsafe, Type } from '../util/json-schema.ts';
import type { Secret } from '../util/secret.ts';
import type { UnitName } from './units.ts';

/**
 * The building blocks of the configuration's one definition, part of which the catalogue has. A field is a JSON Schema
 * for editors; its static type is what the program gets after `x-unit` was read. `x-secret` marks values never to be
 * shown.
 */

/** What is said of a map whose members are all known and may all be left out. */
export const section = (description: string) =>
  ({ additionalProperties: false, default: {}, description }) as const;

/** Such as `10s`; milliseconds once read. */
export const durationField = (description: string, fallback?: string) =>
  unit<number>('duration', {
    type: 'string',
    pattern: '^\\d+(\\.\\d+)?(ms|s|m|h)$',
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

/** A duration in which something must have time to happen. */
export const positiveDurationField = (description: string, fallback: string) =>
  unit<number>('positive_duration', {
    type: 'string',
    pattern: '^(?![0.]+[a-z])\\d+(\\.\\d+)?(ms|s|m|h)$',
    description,
    default: fallback,
  });

/** Such as `32MiB`; bytes once read. */
export const sizeField = (fallback: string, description: string) =>
  unit<number>('size', { type: ['string', 'integer'], default: fallback, description });

/** A credential: `${VAR}` or, through the key with `_file` at its end, the content of a file. */
export const secretField = (description: string) =>
  Type.Optional(unit<Secret>('secret', { type: 'string', description, 'x-secret': true }));

/** An amount of USD, exact. */
export const usdField = (fallback: number, description: string) =>
  unit<NanoUsd>('usd', { type: ['number', 'string'], minimum: 0, default: fallback, description });

/** USD per million tokens, exact. */
export const tokenPriceField = (description: string) =>
  unit<PicoUsd>('price_per_million', { type: ['number', 'string'], minimum: 0, description });

/** USD per request, image or search, exact. */
export const unitPriceField = (description: string) =>
  unit<PicoUsd>('price_per_unit', { type: ['number', 'string'], minimum: 0, description });

/** A fraction of an amount of money. */
export const rateField = (description: string, fallback?: number) =>
  unit<number>('rate', {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

/** An http or https address, read without its trailing slash. */
export const httpUrlField = (description: string) =>
  unit<string>('http_url', { type: 'string', format: 'uri', description });

/** Text in a unit that must not be shown because it may hold a password. */
export const addressField = (name: 'database_url' | 'redis_url', description: string) =>
  Type.Optional(unit<string>(name, { type: 'string', description, 'x-secret': true }));

/** 32 bytes in base64. */
export const masterKeyField = (description: string) =>
  Type.Optional(unit<Secret>('master_key', { type: 'string', description, 'x-secret': true }));

/** An object with members nobody checks. */
export const freeForm = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    default: {},
    description,
  });

/** One of a few words. */
export const wordField = <const Words extends readonly string[]>(
  words: Words,
  description: string,
  fallback?: Words[number],
) =>
  Type.Unsafe<Words[number]>({
    type: 'string',
    enum: [...words],
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

function unit<T>(name: UnitName, options: object): TUnsafe<T> {
  return Type.Unsafe<T>({ ...options, 'x-unit': name });
}
