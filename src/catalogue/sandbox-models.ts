import type { Endpoint, Model, Price, Provider } from '../core/catalogue.ts';
import { parsePricePerMillion } from '../core/money.ts';

// Round numbers, so that costs are easy to check by hand.
const defaultPrice: Price = Object.freeze({
  prompt: parsePricePerMillion('1'),
  completion: parsePricePerMillion('2'),
  cacheRead: parsePricePerMillion('0.1'),
});
const noPrice: Price = Object.freeze({
  prompt: parsePricePerMillion(0),
  completion: parsePricePerMillion(0),
});

const contextLength = 131_072;
const maxCompletionTokens = 16_384;
const created = Date.UTC(2026, 0, 1) / 1000;

interface SandboxRow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly free?: boolean;
  readonly isEmbedding?: boolean;
  readonly reasoning?: Model['reasoning'];
}

const rows: readonly SandboxRow[] = [
  { name: 'echo', title: 'Echo', description: 'Repeats the last user text, word by word when streaming.' },
  {
    name: 'echo:free',
    title: 'Echo (free)',
    description: 'Repeats the last user text at no cost.',
    free: true,
  },
  {
    name: 'lorem',
    title: 'Lorem',
    description: 'Writes as many words of filler as the output limit allows.',
  },
  {
    name: 'reason',
    title: 'Reason',
    description: 'Reasons visibly, then repeats the last user text.',
    reasoning: Object.freeze({ mandatory: false, supportsMaxTokens: true }),
  },
  {
    name: 'tools',
    title: 'Tools',
    description: 'Calls the first function offered, then answers with its result.',
  },
  { name: 'json', title: 'JSON', description: 'Writes JSON that fits the requested format.' },
  { name: 'flaky', title: 'Flaky', description: 'Fails in the way the last user text names.' },
  {
    name: 'embed',
    title: 'Embed',
    description: 'Makes vectors from hashes of the inputs.',
    isEmbedding: true,
  },
];

const writesText = Object.freeze(['text'] as const);
const writesVectors = Object.freeze(['embeddings'] as const);

/** Ids of the sandbox models. */
export const sandboxModelNames: readonly string[] = rows.map(({ name }) => `sandbox/${name}`);

/** The models of the sandbox provider (docs/spec/operations.md#sandbox); every answer says that it is simulated. */
export function sandboxModels(provider: Provider, price: Price | undefined): readonly Model[] {
  return rows.map(({ name, title, description, free, isEmbedding, reasoning }) => {
    const id = `sandbox/${name}`;
    const endpoint: Endpoint = Object.freeze({
      provider,
      upstreamModel: name.replace(/:free$/, ''),
      tag: provider.slug,
      tier: 'default',
      contextLength,
      maxCompletionTokens,
      price: free === true ? noPrice : (price ?? defaultPrice),
    });
    return Object.freeze({
      id,
      canonicalSlug: id,
      name: `Sandbox ${title}`,
      description: `${description} A simulation, not a language model.`,
      created,
      contextLength,
      inputModalities: Object.freeze(['text', 'image', 'file', 'audio', 'video'] as const),
      outputModalities: isEmbedding === true ? writesVectors : writesText,
      ...(reasoning === undefined ? {} : { reasoning }),
      endpoints: Object.freeze([endpoint]),
    });
  });
}
