import { marked, type TUnsafe, Type, text, type Unit } from '../util/json-schema.ts';
import { readNamePattern } from '../util/name-pattern.ts';
import { unit, units, withUnit } from './units.ts';

/** A model by its slug, or several by a pattern such as `acme/*`. */
export const modelName = withUnit(
  unit('model name', 'a slug or a pattern such as acme/*', readNamePattern),
  text(),
);

/** What is said of a map whose members are all known and may all be left out. */
export const section = (description: string) =>
  ({ additionalProperties: false, default: {}, description }) as const;

/** Such as `10s`; milliseconds once read. */
export const durationField = (description: string, fallback?: string) =>
  withUnit(units.duration, {
    type: 'string',
    pattern: '^\\d+(\\.\\d+)?(ms|s|m|h)$',
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

/** A duration in which something must have time to happen. */
export const positiveDurationField = (description: string, fallback: string) =>
  withUnit(units.positiveDuration, {
    type: 'string',
    pattern: '^(?![0.]+[a-z])\\d+(\\.\\d+)?(ms|s|m|h)$',
    description,
    default: fallback,
  });

/** Such as `32MiB`; bytes once read. */
export const sizeField = (fallback: string, description: string) =>
  withUnit(units.size, { type: ['string', 'integer'], default: fallback, description });

/** A credential: `${VAR}` or, through the key with `_file` at its end, the content of a file. */
export const secretField = (description: string) => Type.Optional(secretText(units.secret, description));

/** A credential among others. */
export const secretItem = (description: string) => secretText(units.secret, description);

/** An amount of USD, exact. */
export const usdField = (fallback: number, description: string) =>
  withUnit(units.usd, { type: ['number', 'string'], minimum: 0, default: fallback, description });

/** USD per million tokens, exact. */
export const tokenPriceField = (description: string) =>
  withUnit(units.pricePerMillion, { type: ['number', 'string'], minimum: 0, description });

/** USD per request, image or search, exact. */
export const unitPriceField = (description: string) =>
  withUnit(units.pricePerUnit, { type: ['number', 'string'], minimum: 0, description });

/** A fraction of an amount of money. */
export const rateField = (description: string, fallback?: number) =>
  withUnit(units.rate, {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

/** An http or https address, read without its trailing slash. */
export const httpUrlField = (description: string) =>
  withUnit(units.httpUrl, { type: 'string', format: 'uri', description });

/** A proxy; its address may hold a password. */
export const proxyField = (description: string) => Type.Optional(secretText(units.proxy, description));

/** A proxy, or the word that there is none. */
export const ownProxyField = (description: string) => Type.Optional(secretText(units.ownProxy, description));

/** Text in a unit that must not be shown because it may hold a password. */
export const addressField = (unit: typeof units.databaseUrl, description: string) =>
  Type.Optional(secretText(unit, description));

/** 32 bytes in base64. */
export const masterKeyField = (description: string) =>
  Type.Optional(secretText(units.masterKey, description));

/** What webhooks are signed with. */
export const webhookSecretField = (description: string) =>
  Type.Optional(secretText(units.webhookSecret, description));

/** An object with members nobody checks. */
export const freeForm = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    default: {},
    description,
  });

function secretText<Value>(unit: Unit<Value>, description: string): TUnsafe<Value> {
  return marked(withUnit(unit, { type: 'string', description }), { secret: true });
}
