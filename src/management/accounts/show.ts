import type { Account, AccountPrivacy } from '../../ports/accounts.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';

/** An account as JSON. */
export function showAccount(account: Account): JsonObject {
  return {
    id: account.id,
    name: account.name,
    kind: account.kind,
    billing_mode: account.billingMode,
    free_limit_exempt: account.freeLimitExempt,
    inflight_exempt: account.inflightExempt,
    zero_retention: account.zeroRetention,
    content_logging: account.contentLogging,
    privacy: showPrivacy(account.privacy),
    rates: {
      requests_per_minute: account.rates?.requestsPerMinute ?? null,
      tokens_per_minute: account.rates?.tokensPerMinute ?? null,
    },
    parallel: account.rates?.parallel ?? null,
    plugin_defaults: account.pluginDefaults ?? {},
    disabled: account.disabled,
    default_workspace_id: account.defaultWorkspaceId,
    created_at: isoTime(account.createdAt),
  };
}

/** Where the prompts of an account may go. With nothing set, all is allowed. */
function showPrivacy(privacy: AccountPrivacy | undefined): JsonObject {
  return {
    allowed_providers: privacy?.allowedProviders ?? null,
    ignored_providers: privacy?.ignoredProviders ?? null,
    paid_training: privacy?.forbidPaidTraining !== true,
    free_training: privacy?.forbidFreeTraining !== true,
    free_publication: privacy?.forbidFreePublication !== true,
    zero_retention_authors: privacy?.zeroRetentionAuthors ?? null,
  };
}
