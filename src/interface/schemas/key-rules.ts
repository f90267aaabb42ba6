import { choice, flag, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { SpendingLimit } from './budgets.ts';

const names = orNull(list(text()));
const plugins = list(Type.Object({ id: text(), enforced: flag() }));
const amount = orNull(integer());

const AppliedGuardrail = named(
  'AppliedGuardrail',
  Type.Object({
    id: text(),
    name: text(),
    scope: choice('account', 'workspace', 'member', 'api-key'),
    mode: choice('enforce', 'observe'),
    source: choice('file', 'stored'),
    allowed_models: names,
    ignored_models: names,
    allowed_providers: names,
    ignored_providers: names,
    zero_retention: list(text({ description: 'A group of models that may only go where nothing is kept' })),
    forbidden_practices: list(text()),
    filters: list(Type.Object({ name: text(), action: choice('flag', 'redact', 'block') })),
  }),
);

/** All that limits or changes the requests of a key, each with where it comes from. */
export const KeyRules = named(
  'KeyRules',
  Type.Object({
    data: Type.Object({
      limits: list(SpendingLimit),
      guardrails: list(AppliedGuardrail),
      rates: list(
        Type.Object({
          scope: choice('key', 'account', 'service'),
          requests_per_minute: amount,
          tokens_per_minute: amount,
          parallel: amount,
        }),
      ),
      workspace: orNull(
        Type.Object({
          id: text(),
          name: text(),
          default_text_model: orNull(text()),
          default_provider_sort: orNull(text()),
          disabled_server_tools: list(text()),
          plugins,
        }),
      ),
      account: Type.Object({ zero_retention: flag(), plugins }),
    }),
  }),
);
