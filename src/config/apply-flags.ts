import { type Document, isMap, Scalar } from 'yaml';
import { type Environment, environmentValue } from '../util/environment.ts';
import { type Position, positionOfOption } from './config-error.ts';
import { nearest } from './nearest.ts';

/** Values of command-line flags; undefined means not given. */
export interface Flags {
  readonly host?: string;
  readonly port?: string;
  readonly workers?: string;
}

/** The configuration key that each environment variable of docs/spec/operations.md#configuration sets. */
export const environmentKeys: Readonly<Record<string, readonly string[]>> = {
  HEADGATE_HOST: ['server', 'host'],
  HEADGATE_PORT: ['server', 'port'],
  HEADGATE_WORKERS: ['server', 'workers'],
  HEADGATE_DATA_DIR: ['data_dir'],
  HEADGATE_DATABASE_URL: ['database', 'url'],
  HEADGATE_REDIS_URL: ['shared_state', 'url'],
  HEADGATE_MASTER_KEY: ['master_key'],
  HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: ['bootstrap', 'management_key'],
  HEADGATE_BOOTSTRAP_API_KEY: ['bootstrap', 'api_key'],
  HEADGATE_BILLING_MODE: ['bootstrap', 'billing_mode'],
  HEADGATE_LOG_LEVEL: ['log_level'],
};

const flagKeys: Readonly<Record<keyof Flags, readonly string[]>> = {
  host: ['server', 'host'],
  port: ['server', 'port'],
  workers: ['server', 'workers'],
};

/**
 * Lays environment variables and then flags over the document, so that one reader checks all of them, and
 * returns where each laid-over node comes from. Empty variables count as not set.
 */
export function applyFlags(
  document: Document,
  environment: Environment,
  flags: Flags,
): WeakMap<object, Position> {
  const positions = new WeakMap<object, Position>();
  const lay = (
    path: readonly string[],
    text: string | number | boolean | undefined,
    position: Position,
  ): void => {
    if (text === undefined || !makeRoom(document, path)) return;
    const node = new Scalar(text);
    document.setIn(path, node);
    document.deleteIn([...path.slice(0, -1), `${path.at(-1)}_file`]);
    positions.set(node, position);
  };
  for (const [name, path] of Object.entries(environmentKeys))
    lay(path, environmentValue(environment, name), { source: `environment ${name}` });
  for (const { variable, path, value } of openTelemetryKeys(environment))
    lay(path, value, { source: `environment ${variable}` });
  for (const flag of ['host', 'port', 'workers'] as const) {
    lay(flagKeys[flag], flags[flag], positionOfOption(flag));
  }
  return positions;
}

/** A key that a variable of OpenTelemetry sets. */
interface OpenTelemetryKey {
  readonly variable: string;
  readonly path: readonly string[];
  readonly value: string | number | boolean;
}

/**
 * What the variables that all programs with OpenTelemetry read say of `telemetry` (docs/spec/telemetry.md#variables).
 */
function openTelemetryKeys(environment: Environment): readonly OpenTelemetryKey[] {
  const keys: OpenTelemetryKey[] = [];
  const set = (variable: string, path: readonly string[], value: string | number | boolean | undefined) => {
    if (value !== undefined) keys.push({ variable, path: ['telemetry', ...path], value });
  };
  const stated = (name: string) => environmentValue(environment, name);
  if (stated('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') {
    set('OTEL_SDK_DISABLED', ['traces'], false);
    set('OTEL_SDK_DISABLED', ['metrics', 'enabled'], false);
    return keys;
  }
  set('OTEL_EXPORTER_OTLP_ENDPOINT', ['endpoint'], stated('OTEL_EXPORTER_OTLP_ENDPOINT'));
  set('OTEL_EXPORTER_OTLP_PROTOCOL', ['protocol'], stated('OTEL_EXPORTER_OTLP_PROTOCOL'));
  for (const [name, value] of pairsOf(stated('OTEL_EXPORTER_OTLP_HEADERS')))
    set('OTEL_EXPORTER_OTLP_HEADERS', ['headers', name], value);
  for (const [name, value] of pairsOf(stated('OTEL_RESOURCE_ATTRIBUTES')))
    set('OTEL_RESOURCE_ATTRIBUTES', ['resource', name], value);
  set('OTEL_SERVICE_NAME', ['resource', 'service.name'], stated('OTEL_SERVICE_NAME'));
  const [, parent, sampler] =
    /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(stated('OTEL_TRACES_SAMPLER') ?? '') ?? [];
  if (sampler === undefined) return keys;
  const argument = stated('OTEL_TRACES_SAMPLER_ARG');
  const ratio = sampler === 'traceidratio' ? Number(argument ?? 1) : sampler === 'always_on' ? 1 : 0;
  set('OTEL_TRACES_SAMPLER', ['sampling', 'ratio'], Number.isNaN(ratio) ? argument : ratio);
  set('OTEL_TRACES_SAMPLER', ['sampling', 'follow_parent'], parent !== undefined);
  return keys;
}

/** A list such as `api-key=secret,team=a%20b`. */
function pairsOf(list = ''): readonly (readonly [string, string])[] {
  return list.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    return at === -1 || name === '' ? [] : [[name, decoded(pair.slice(at + 1).trim())] as const];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Warnings for variables that look like ours but are not. */
export function warnUnknownVariables(environment: Environment): readonly string[] {
  const known = [...Object.keys(environmentKeys), 'HEADGATE_CONFIG', 'HEADGATE_API_KEY', 'HEADGATE_URL'];
  return Object.keys(environment)
    .filter((name) => name.startsWith('HEADGATE_') && !known.includes(name))
    .flatMap((name) => {
      const suggestion = nearest(name, known);
      return suggestion === undefined
        ? []
        : [`environment: ${name}: unknown variable; did you mean ${suggestion}?`];
    });
}

/** Makes the maps on the way to a key; false when something else stands there, which the reader reports. */
function makeRoom(document: Document, path: readonly string[]): boolean {
  for (let depth = 0; depth < path.length; depth += 1) {
    const above = path.slice(0, depth);
    const node = depth === 0 ? document.contents : document.getIn(above, true);
    const isEmpty = node === undefined || node === null || (node instanceof Scalar && node.value === null);
    if (isEmpty && depth === 0) document.contents = document.createNode({});
    else if (isEmpty) document.setIn(above, document.createNode({}));
    else if (!isMap(node)) return false;
  }
  return true;
}
