import { hash } from 'node:crypto';
import { cacheLifetime } from '../core/breakpoints.ts';
import type { Model } from '../core/catalogue.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import { type CanonicalRequest, type ContentPart, chatOf, type MessageItem } from '../core/request.ts';
import { savesByCache } from '../core/saves-by-cache.ts';
import { type Usage, usesCache } from '../core/usage.ts';
import type { StickyEndpoint, StickyEndpoints } from '../ports/stickiness.ts';
import type { Candidate } from '../routing/candidates.ts';
import type { Target } from '../routing/route-plan.ts';
import type { Caller } from '../settlement/caller.ts';
import type { Services } from './services.ts';

type StickyServices = Pick<Services, 'stickyEndpoints' | 'routing'>;

/**
 * The conversation a request belongs to, and the endpoints that served it, model by model
 * (docs/spec/routing.md#stickiness). Known by what the caller names it or, without that, by how it begins.
 */
export class Conversation {
  readonly #key: string;
  readonly #named: boolean;
  readonly #memory: StickyEndpoints;
  readonly #lifetime: number;
  readonly #found = new Map<Model, StickyEndpoint>();

  private constructor(
    { key, named }: ConversationKey,
    request: CanonicalRequest,
    { stickyEndpoints, routing }: StickyServices,
  ) {
    this.#key = key;
    this.#named = named;
    this.#memory = stickyEndpoints;
    this.#lifetime = Math.max(routing().stickyLifetime, cacheLifetime(chatOf(request)));
  }

  /**
   * The conversation, with what is remembered of it; undefined where nothing can be gained: an order was given, there
   * is no choice, or no endpoint has cheaper reads from its cache.
   */
  static of(
    request: AnyRequest,
    { account }: Caller,
    candidates: readonly Candidate[],
    services: StickyServices,
  ): Promise<Conversation> | undefined {
    if (request.provider.order !== undefined) return undefined;
    const models = candidates.map(({ model }) => model).filter(gainsFromStickiness);
    if (models.length === 0) return undefined;
    const known = conversationKey(request, account);
    return known && new Conversation(known, request.canonical, services).#remembering(models);
  }

  async #remembering(models: readonly Model[]): Promise<this> {
    const found = await this.#memory.find(models.map((model) => this.#keyFor(model)));
    for (const [index, model] of models.entries()) {
      const endpoint = found[index];
      if (endpoint !== undefined) this.#found.set(model, endpoint);
    }
    return this;
  }

  /** The endpoint that served it last with a model. */
  servedBy(model: Model): StickyEndpoint | undefined {
    return this.#found.get(model);
  }

  /** Notes a success. A conversation nobody named is only worth remembering where its prompt is in a cache. */
  succeeded({ model, endpoint, credentialClass }: Target, usage: Usage | undefined): void {
    if (!this.#named && (usage === undefined || !usesCache(usage))) return;
    if (!gainsFromStickiness(model) || !savesByCache(endpoint.price)) return;
    const entry = { tag: endpoint.tag, credentialClass };
    // What cannot be remembered costs a cache, never an answer.
    Promise.resolve(this.#memory.remember(this.#keyFor(model), entry, this.#lifetime)).catch(() => {});
  }

  #keyFor({ id }: Model): string {
    return `${this.#key} ${id}`;
  }
}

/** What a conversation is known by. */
export interface ConversationKey {
  readonly key: string;
  /** Whether the caller named it. */
  readonly named: boolean;
}

/** What a request's conversation is known by; undefined where nothing may be kept of it. */
export function conversationKey(
  request: AnyRequest,
  account: Caller['account'],
): ConversationKey | undefined {
  const name = request.sessionId ?? chatOf(request.canonical)?.promptCacheKey;
  // Even a digest of what was said is more than an account without retention allows.
  if (name === undefined && account.zeroRetention) return undefined;
  const key = digest([account.id, name === undefined ? beginningOf(request.canonical) : `=${name}`]);
  return { key, named: name !== undefined };
}

/** Whether it matters which endpoint of a model serves. */
function gainsFromStickiness({ endpoints }: Model): boolean {
  return endpoints.length > 1 && endpoints.some(({ price }) => savesByCache(price));
}

/** The first instruction and the first message that is none; top instructions count as an instruction. */
function beginningOf(request: CanonicalRequest): string {
  if (request.kind === 'embedding') return String(request.inputs[0]);
  const { instructions, items } = request;
  const messages = items.filter((item) => item.kind === 'message');
  const isInstruction = ({ role }: MessageItem) => role === 'system' || role === 'developer';
  const first = messages.find((message) => !isInstruction(message));
  const rules = instructions ?? textOf(messages.find(isInstruction));
  return `${rules}\n\n${textOf(first)}`;
}

function textOf(message: MessageItem | undefined): string {
  return message?.content.map(textOfPart).join('\n') ?? '';
}

function textOfPart(part: ContentPart): string {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text;
    default:
      return JSON.stringify(part);
  }
}

function digest(parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url');
}
