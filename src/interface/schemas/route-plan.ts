import { orderReasons } from '../../core/order-reason.ts';
import {
  anyObject,
  flag,
  integer,
  list,
  named,
  nullOr,
  number,
  orNull,
  type TUnsafe,
  Type,
  text,
  word,
} from '../../util/json-schema.ts';
import type { Pricing } from './catalogue.ts';

const problem = nullOr(Type.Unsafe<unknown>({ $ref: '#/components/schemas/Error/properties/error' }));
type Prices = Partial<typeof Pricing extends TUnsafe<infer Value> ? Value : never>;

/** Where a request would go, and why. */
export const RoutePlan = named(
  'RoutePlan',
  Type.Object({
    object: word(['route_plan']),
    requested: list(text()),
    region: orNull(text()),
    models: list(
      Type.Object({
        requested: text(),
        id: text(),
        named_by: word(['name', 'legacy', 'latest', 'router']),
        variant: orNull(text()),
      }),
    ),
    routers: list(Type.Object({ slug: text(), strategy: text(), summary: text(), data: anyObject() }), {
      description: 'What the routers chose that the request names, and why',
    }),
    prompt_tokens: integer(),
    max_output_tokens: orNull(integer()),
    plan: list(
      Type.Object({
        position: integer(),
        provider: text(),
        provider_slug: text(),
        tag: text(),
        tier: text(),
        model: text(),
        credential: word(['own', 'shared', 'own_fallback']),
        credential_label: orNull(text()),
        is_byok: flag(),
        pricing: Type.Unsafe<Prices | null>({ type: ['object', 'null'] }),
        list_cost_ceiling: orNull(number()),
        because: word(orderReasons, {
          description:
            'What decided between it and the endpoint before it; for the first one, the endpoint after it',
        }),
        alterations: list(
          Type.Object({ field: text(), action: word(['emulated', 'dropped', 'adapted']), how: text() }),
        ),
      }),
    ),
    excluded: list(
      Type.Object({ provider: text(), provider_slug: text(), tag: text(), model: text(), reason: text() }),
    ),
    cost_ceiling: orNull(number()),
    refusal: problem,
    verdict: Type.Object({ admitted: flag(), error: problem }),
  }),
);
