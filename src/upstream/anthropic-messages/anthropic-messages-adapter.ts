import { breakpointsOf, prolongsPrefixes } from '../../core/breakpoints.ts';
import type { Provider } from '../../core/catalogue.ts';
import type { FeatureSupport, Support } from '../../core/features.ts';
import type { CanonicalChat } from '../../core/request.ts';
import type { Adapter } from '../adapter.ts';
import { claudeTraits } from '../claude-model.ts';
import {
  blankStops,
  chosenUnlessReasoning,
  claudeMessages,
  claudeReasoning,
  samplersOf,
  strictWhereDeclared,
} from '../claude-support.ts';
import { isEnforceable } from '../enforced-schemas.ts';
import { countOf } from '../lenient.ts';
import { pickMembers } from '../pick-members.ts';
import { type SearchSetting, setsSearch, setsSearchBeyond } from '../search-settings.ts';
import { claudeNames } from '../tool-limits.ts';
import { inexpressibleItems, usualSupport } from '../usual-support.ts';
import { isOwnItem, maxBreakpoints } from './encode-conversation.ts';
import { isTakenServer } from './encode-hosted-tools.ts';
import { encodeRequest } from './encode-request.ts';
import { MessagesDecoder } from './messages-decoder.ts';
import {
  directHosting,
  hostedKinds,
  type MessagesHosting,
  structuredOutput,
  vertexHosting,
} from './quirks.ts';
import { readFailure } from './read-failure.ts';

/** Support that is the same on every host of the dialect. */
const everywhere = {
  ...usualSupport,
  'input.file.context': 'native',
  'input.block': 'native',
  'input.block.unknown': 'native',
  'tool_output.error': 'native',
  extra: 'native',
  'output.none': 'native',
  toolNames: claudeNames,
  rootObjects: true,
  enforces: isEnforceable,
  'input.audio': 'refused',
  'input.video.data': 'refused',
  'input.video.url': 'refused',
  'input.tool_output.media': 'native',
  'item.system_later': {
    adapted: 'in the turn of the user at its place, on models without such messages',
    when: (_request, { endpoint }) => claudeTraits(endpoint.upstreamModel)?.systemTurns !== true,
  },
  'item.hosted': {
    adapted: 'calls the provider ran go back as they were, others as call and result',
    when: ({ items }) => items.some((item) => item.kind === 'hosted' && !isOwnItem(item)),
  },
  'tool.function.strict': strictWhereDeclared,
  'tool_choice.none': 'native',
  'tool_choice.required': chosenUnlessReasoning,
  'tool_choice.named': chosenUnlessReasoning,
  parallel_tool_calls: 'native',
  ...claudeReasoning,
  'sampling.stop': blankStops,
  'modalities.image': 'refused',
  service_tier: {
    adapted: '`standard_only` or `auto`; `scale` is not known',
    when: ({ serviceTier }) => serviceTier === 'flex' || serviceTier === 'scale',
  },
  cache_control: {
    adapted:
      'of more than four breakpoints the last four count; what is kept for an hour keeps its beginnings as long',
    when: (request) => breakpointsOf(request).length > maxBreakpoints || prolongsPrefixes(request),
  },
  prompt_cache_options: { dropped: 'the provider caches only at breakpoints anyway' },
  end_user: 'native',
} as const satisfies Partial<FeatureSupport>;

/** The dialect takes one list or the other. */
function listsBothWays(request: CanonicalChat): boolean {
  const blocks = setsSearch(request, 'blocked_domains', 'excluded_domains');
  return blocks && setsSearch(request, 'allowed_domains');
}

const searchSettings: readonly SearchSetting[] = [
  'max_uses',
  'allowed_domains',
  'blocked_domains',
  'excluded_domains',
  'user_location',
];
const search: Support = {
  adapted:
    "amount and depth of the results are the provider's choice; a blocked domain counts beside an allow list only if that names the same",
  when: (request) => setsSearchBeyond(request, searchSettings) || listsBothWays(request),
};

/** The dialect has no place for a description of a server for the model. */
function describesServer({ tools }: CanonicalChat): boolean {
  return tools.some(
    (tool) => tool.kind === 'hosted' && tool.tool === 'mcp' && tool.settings.server_description,
  );
}

/** How the Messages dialect handles each feature. Quirks: see `quirks.ts`. */
function supportOf(
  provider: Provider,
  hosting: MessagesHosting,
  upstreamModel: string | undefined,
): FeatureSupport {
  const hosted = hostedKinds(provider, hosting);
  const byUrl: Support = hosting.takesUrls ? 'native' : 'refused';
  const byFileId: Support = hosting.takesFileIds ? 'native' : 'refused';
  const structured = structuredOutput(provider, upstreamModel);
  return {
    seals: ['anthropic-claude-v1'],
    inexpressible: inexpressibleItems,
    ...everywhere,
    ...(claudeTraits(upstreamModel ?? 'claude') && { mostMessages: claudeMessages }),
    ...samplersOf(upstreamModel),
    'input.image.url': byUrl,
    'input.image.file': byFileId,
    'input.file.url': byUrl,
    'input.file.id': byFileId,
    'tool.web_search': hosted.has('web_search') ? search : 'refused',
    'tool.code_interpreter': hosted.has('code_interpreter')
      ? { adapted: 'a sandbox with shell and file editor; commands stand for code' }
      : 'refused',
    'tool.mcp': hosted.has('mcp')
      ? {
          adapted: 'servers by URL that need no approval; of headers only the authorization',
          when: describesServer,
          refuses: ({ tools }) => tools.some((tool) => tool.kind === 'hosted' && !isTakenServer(tool)),
        }
      : 'refused',
    'text.json_schema': structured === 'native' ? 'native' : { emulated: structured },
  };
}

/** The members of a body that a request for its size may have. */
const counted = [
  'model',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'mcp_servers',
];

/** The Messages dialect of Anthropic and compatible providers: `POST /messages`. */
export const anthropicMessagesAdapter: Adapter = {
  ...createMessagesAdapter(directHosting),
  counting: {
    encode(call) {
      const wire = encodeRequest(call, directHosting);
      const body = pickMembers(wire.body, counted);
      return { ...wire, path: '/messages/count_tokens', body, streamed: false };
    },
    read: ({ input_tokens }) => countOf(input_tokens),
  },
};

/**
 * The same dialect for Claude on Vertex. Its requests contain neither address nor credential: the Vertex adapter adds
 * `baseUrl` and the authorization.
 */
export const vertexMessagesAdapter = createMessagesAdapter(vertexHosting);

function createMessagesAdapter(hosting: MessagesHosting): Adapter {
  return {
    encode: (call) => encodeRequest(call, hosting),
    createDecoder: () => new MessagesDecoder(),
    readFailure,
    support: (provider, upstreamModel) => supportOf(provider, hosting, upstreamModel),
  };
}
