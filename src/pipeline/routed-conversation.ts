import type { AnyRequest } from '../core/inference-request.ts';
import type { RouterId } from '../core/router-names.ts';
import { type Usage, usesCache } from '../core/usage.ts';
import type { Target } from '../routing/route-plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import { conversationKey } from './conversation.ts';
import type { Services } from './services.ts';

type StickyServices = Pick<Services, 'stickyEndpoints' | 'routing'>;

/** Routers whose choice a conversation keeps; those of the others are given. */
const remembering: ReadonlySet<RouterId> = new Set([
  'service/auto',
  'service/auto-beta',
  'service/free',
  'service/pareto-code',
]);

/** Milliseconds for which `service/pareto-code` remembers a model. */
const paretoLifetime = 300_000;

/**
 * The model that served the conversation of a request when it last named a router
 * (docs/spec/routers.md#stickiness); undefined where none is remembered.
 */
export async function rememberedModel(
  router: RouterId,
  { request, caller }: Pick<CallFacts, 'request' | 'caller'>,
  { stickyEndpoints }: StickyServices,
): Promise<string | undefined> {
  if (!isRemembered(router, request)) return undefined;
  const known = conversationKey(request, caller.account);
  if (known === undefined) return undefined;
  const [found] = await stickyEndpoints.find([keyOf(known.key, router)]);
  return found?.tag;
}

/** Notes the model that a router chose and that answered. Never fails. */
export function rememberModel(
  { model, router }: Target,
  usage: Usage | undefined,
  { request, caller }: CallFacts,
  { stickyEndpoints, routing }: StickyServices,
): void {
  if (router === undefined || !isRemembered(router.router, request)) return;
  const known = conversationKey(request, caller.account);
  if (known === undefined) return;
  if (!known.named && (usage === undefined || !usesCache(usage))) return;
  const lifetime = router.strategy === 'pareto' ? paretoLifetime : routing().stickyLifetime;
  const entry = { tag: model.id, credentialClass: 1 } as const;
  // What cannot be remembered costs a cache, never an answer.
  Promise.resolve(stickyEndpoints.remember(keyOf(known.key, router.router), entry, lifetime)).catch(() => {});
}

function isRemembered(router: RouterId, { provider }: AnyRequest): boolean {
  return remembering.has(router) && provider.order === undefined;
}

function keyOf(conversation: string, router: RouterId): string {
  return `${conversation} ${router}`;
}
