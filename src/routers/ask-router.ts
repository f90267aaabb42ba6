import { HeadgateError } from '../core/errors.ts';
import { wantsChat } from '../core/inference-request.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { RouterOutcome } from '../core/routed-models.ts';
import { emptyRouter } from '../routing/unknown-model.ts';
import { gatewayRouters } from './gateway-routers.ts';
import type { RouterQuestion } from './router.ts';

/** What the router that a request names chooses, or the error that says why it cannot. */
export function askRouter(question: RouterQuestion<CanonicalRequest>): RouterOutcome {
  const { named, request } = question;
  if (!wantsChat(request)) return emptyRouter(named.slug, request, 'chooses among models that chat');
  const router = gatewayRouters.get(named.routerId);
  if (router === undefined) return emptyRouter(named.slug, request, 'is not available on this server');
  try {
    return router.choose({ ...question, request });
  } catch (thrown) {
    if (thrown instanceof HeadgateError) return thrown;
    throw thrown;
  }
}
