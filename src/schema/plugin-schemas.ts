import type { PluginEntry } from '../core/inference-request.ts';
import {
  anyObject,
  anyOf,
  choice,
  flag,
  integer,
  list,
  named,
  number,
  optional,
  type TProperties,
  type TSchema,
  Type,
  text,
} from '../util/json-schema.ts';
import { createChecker } from './checker.ts';
import { malformed } from './fault.ts';
import { asObject, type KindTable, rowFor } from './kind-table.ts';

const patternCharacters = 65_536;
const closed = { additionalProperties: false };
const enabled = optional(flag());
const words = list(text());
const patterns = optional(list(text({ maxLength: 1024 }), { maxItems: 1024 }));

const autoBetaRouter = {
  enabled,
  allowed_models: patterns,
  excluded_models: patterns,
  cost_tier: optional(choice('low', 'medium', 'high', 'xhigh', 'max')),
  cost_quality_tradeoff: optional(integer({ minimum: 0, maximum: 10 })),
};

/** The members of every plugin besides `id` (docs/spec/requests.md#plugins). */
const members: Readonly<Record<string, TProperties>> = {
  'auto-router': { ...autoBetaRouter, pin_model: optional(flag()) },
  'auto-beta-router': autoBetaRouter,
  moderation: {},
  'context-compression': { enabled, engine: optional(choice('middle-out')) },
  'file-parser': {
    enabled,
    pdf: optional(
      Type.Object({ engine: optional(choice('native', 'mistral-ocr', 'cloudflare-ai', 'pdf-text')) }, closed),
    ),
  },
  fusion: {
    enabled,
    analysis_models: optional(list(text(), { minItems: 1, maxItems: 8 })),
    model: optional(text()),
    max_tool_calls: optional(integer({ minimum: 1, maximum: 16 })),
    preset: optional(choice('general-high', 'general-budget', 'general-fast')),
    tools: optional(
      list(Type.Object({ type: text(), parameters: optional(anyObject()) }, closed), { maxItems: 8 }),
    ),
  },
  'pareto-router': {
    enabled,
    max_price: optional(number({ minimum: 0 })),
    min_coding_score: optional(number({ minimum: 0, maximum: 1 })),
    price_source: optional(choice('prompt', 'weighted_avg')),
  },
  web: {
    enabled,
    engine: optional(choice('native', 'exa', 'firecrawl', 'parallel', 'perplexity')),
    mode: optional(
      choice('instant', 'fast', 'auto', 'deep-lite', 'deep', 'deep-reasoning', 'turbo', 'basic', 'advanced'),
    ),
    max_results: optional(integer({ minimum: 1, maximum: 25 })),
    max_uses: optional(integer({ minimum: 1 })),
    search_prompt: optional(text()),
    include_domains: optional(words),
    exclude_domains: optional(words),
    user_location: optional(
      Type.Object(
        {
          type: choice('approximate'),
          city: optional(text()),
          country: optional(text()),
          region: optional(text()),
          timezone: optional(text()),
        },
        closed,
      ),
    ),
  },
  'web-fetch': {
    max_uses: optional(integer({ minimum: 1 })),
    max_content_tokens: optional(integer({ minimum: 1 })),
    allowed_domains: optional(words),
    blocked_domains: optional(words),
  },
  'response-healing': { enabled },
};

const schemas = Object.entries(members).map(([id, fields]): [string, TSchema] => [
  id,
  Type.Object({ id: choice(id), ...fields }, closed),
]);

const plugins: KindTable<(value: unknown, path: string) => unknown> = {
  key: 'id',
  rows: new Map(schemas.map(([id, schema]) => [id, createChecker(schema)])),
};

/** The public schema of `plugins`. */
export const PluginsSchema: TSchema = named('Plugins', list(anyOf(...schemas.map(([, schema]) => schema))));

/** The ids of all plugins. */
export const pluginIds: readonly string[] = Object.keys(members);

/**
 * Reads one plugin as a request or a default names it (docs/spec/requests.md#plugins). Null members count as absent.
 * @throws HeadgateError `invalid_request` naming the path.
 */
export function readPlugin(value: unknown, path: string): PluginEntry {
  const plugin = asObject(value, path);
  rowFor(plugins, plugin, path)(plugin, path);
  checkPatternTotal(plugin.allowed_models, `${path}.allowed_models`);
  checkPatternTotal(plugin.excluded_models, `${path}.excluded_models`);
  const { id, enabled: isEnabled, ...settings } = plugin;
  const present = Object.entries(settings).filter(([, member]) => member !== null);
  return { id: String(id), enabled: isEnabled !== false, settings: Object.fromEntries(present) };
}

function checkPatternTotal(value: unknown, path: string): void {
  if (!Array.isArray(value)) return;
  const total = value.reduce<number>((sum, pattern) => sum + String(pattern).length, 0);
  if (total <= patternCharacters) return;
  throw malformed(path, `must be at most ${patternCharacters} characters in all, got ${total}`);
}
