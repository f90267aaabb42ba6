import { choice, integer, list, optional, Type, text } from '../../../util/json-schema.ts';
import { hostedTool } from './hosted-tool.ts';

const approximate = choice('approximate');
const place = {
  city: optional(text()),
  country: optional(text()),
  region: optional(text()),
  timezone: optional(text()),
};
/** Domains of a list of settings. */
export const domains = optional(list(text({ minLength: 1 })));

/** Settings of searches. */
export const searchMembers = {
  engine: optional(choice('auto', 'native', 'exa', 'parallel', 'firecrawl', 'perplexity')),
  mode: optional(
    choice('instant', 'fast', 'auto', 'deep-lite', 'deep', 'deep-reasoning', 'turbo', 'basic', 'advanced'),
  ),
  filters: optional(
    Type.Object({ allowed_domains: domains, blocked_domains: domains, excluded_domains: domains }),
  ),
  max_results: optional(integer({ minimum: 1, maximum: 25 })),
  max_uses: optional(integer({ minimum: 1 })),
  search_context_size: optional(choice('low', 'medium', 'high')),
  user_location: optional(Type.Object({ type: optional(approximate), ...place })),
};
const previewMembers = {
  ...searchMembers,
  user_location: optional(Type.Object({ type: approximate, ...place })),
};

/** Web search in its four spellings; the preview kinds insist on the type of a place (docs/spec/tools.md#kinds). */
export const webSearchTools = {
  web_search: hostedTool('web_search', 'web_search', searchMembers),
  web_search_2025_08_26: hostedTool('web_search', 'web_search_2025_08_26', searchMembers),
  web_search_preview: hostedTool('web_search', 'web_search_preview', previewMembers),
  web_search_preview_2025_03_11: hostedTool('web_search', 'web_search_preview_2025_03_11', previewMembers),
} as const;
