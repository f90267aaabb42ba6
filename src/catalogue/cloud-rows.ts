import type { FurtherPrices } from './further-prices.ts';
import type { ProviderRow } from './provider-row.ts';

/** Search prices of Gemini: per answer that searched up to generation 2.5, per query from generation 3. */
const geminiSearches: readonly FurtherPrices[] = [
  { models: /^gemini-[12]/, webSearch: '0.035' },
  { models: /^gemini-/, webSearch: '0.014' },
];

/** Providers with a dialect of their own. */
export const cloudRows: readonly ProviderRow[] = [
  {
    slug: 'openai',
    name: 'OpenAI',
    adapter: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    variable: 'OPENAI_API_KEY',
    quirks: {
      hostedTools: [
        'web_search',
        'file_search',
        'computer',
        'code_interpreter',
        'mcp',
        'image_generation',
        'local_shell',
        'shell',
        'apply_patch',
      ],
    },
    trainsOnPrompts: false,
    priceSource: 'openai',
    furtherPrices: [{ models: /./, webSearch: '0.01' }],
    author: 'openai',
    notServed: /^(ada|babbage|curie|davinci|text-|computer-use|gpt-oss|gpt-3\.5-turbo-instruct|gpt-4-vision)/,
    checked: 'documentation',
    source: 'the types of its own npm package, which requests are checked against',
  },
  {
    // The credential decides the address: it lists resources and deployments. A plain key needs a configured address.
    slug: 'azure',
    conventionName: 'azure.ai.openai',
    name: 'Azure',
    adapter: 'azure-openai',
    variable: 'AZURE_OPENAI_API_KEY',
    addressVariable: 'AZURE_OPENAI_ENDPOINT',
    trainsOnPrompts: false,
    note: 'Models have the names of their deployments, which the operator chose.',
    checked: 'documentation',
    source: 'the Responses interface of openai, served by Azure',
  },
  {
    slug: 'anthropic',
    name: 'Anthropic',
    adapter: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    variable: 'ANTHROPIC_API_KEY',
    trainsOnPrompts: false,
    priceSource: 'anthropic',
    furtherPrices: [{ models: /^claude-/, webSearch: '0.01' }],
    author: 'anthropic',
    notServed: /^claude-(v1|2)/,
    checked: 'documentation',
    source: 'the types of its own npm package, which requests are checked against',
  },
  {
    slug: 'amazon-bedrock',
    conventionName: 'aws.bedrock',
    name: 'Amazon Bedrock',
    adapter: 'amazon-bedrock',
    baseUrl: 'https://bedrock-runtime.{AWS_REGION}.amazonaws.com',
    variable: 'AWS_BEARER_TOKEN_BEDROCK',
    variableParts: {
      needed: { accessKeyId: 'AWS_ACCESS_KEY_ID', secretAccessKey: 'AWS_SECRET_ACCESS_KEY' },
      optional: { sessionToken: 'AWS_SESSION_TOKEN' },
    },
    retainsPrompts: false,
    trainsOnPrompts: false,
    source: 'docs.aws.amazon.com/bedrock: Converse, prompt caching, structured output, API keys',
    note:
      'The credential may also be JSON with accessKeyId, secretAccessKey, region and sessionToken; requests are ' +
      'signed then. Models are named in the configuration: ids differ by region and account.',
    checked: 'documentation',
  },
  {
    slug: 'google-ai-studio',
    conventionName: 'gcp.gemini',
    name: 'Google AI Studio',
    adapter: 'google-gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    variable: 'GEMINI_API_KEY',
    priceSource: 'google',
    furtherPrices: geminiSearches,
    author: 'google',
    notServed: /^(?!gemini-[2-9]|gemma-[3-9])|-maas$/,
    checked: 'documentation',
    source: 'the types of its own npm package',
  },
  {
    // The credential decides the address: project and region are in the service-account key.
    slug: 'google-vertex',
    conventionName: 'gcp.vertex_ai',
    name: 'Google Vertex',
    adapter: 'google-vertex',
    variable: 'GOOGLE_APPLICATION_CREDENTIALS',
    variableIsFile: true,
    trainsOnPrompts: false,
    priceSource: 'google',
    furtherPrices: [
      ...geminiSearches,
      // Since 4.5.
      {
        models: /^claude-((opus|sonnet|haiku)-(4-[5-9]|[5-9])|fable|mythos)/,
        webSearch: '0.01',
        longWrites: 2n,
        regional: 10n,
      },
      { models: /^claude-/, webSearch: '0.01', longWrites: 2n },
    ],
    note:
      'The credential is a service-account key; its member `region` may be `global` (otherwise assumed), `us`, `eu` or a ' +
      'location. Claude from 4.5 on costs a tenth more outside `global`; built-in prices follow the credential of the ' +
      "configuration, not those of accounts' own.",
    // Claude models whose names there differ from their own.
    notServed: /^(?!gemini-[2-9]|claude-(opus|sonnet|haiku|fable|mythos)-)/,
    checked: 'documentation',
    source: 'the types of its own npm package',
  },
];
