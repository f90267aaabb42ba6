import { findProvider, knownProviders } from '../catalogue/build-providers.ts';
import type { CredentialTools } from '../cli/cli-environment.ts';
import type { Config } from '../config/config.ts';
import { HeadgateError } from '../core/errors.ts';
import { shortQuestion } from '../core/short-question.ts';
import { roomOf } from '../ports/answer-room.ts';
import type { Storage } from '../ports/storage.ts';
import { ownEndpoint } from '../routing/own-endpoint.ts';
import { createCredentialForms } from '../upstream/credential-forms.ts';
import { createUpstreamRegistry } from '../upstream/registry.ts';
import { createTransport } from '../upstream/wire/transport.ts';
import { openKeySource } from '../vault/open-key-source.ts';
import { rotateMasterKey } from '../vault/rotate-master-key.ts';
import { Vault } from '../vault/vault.ts';

const longestWait = 60_000;

/** Opens what the command line needs for stored credentials, from the same parts as a server. */
export function openCredentialTools(config: Config, storage: Storage): CredentialTools {
  const { credentials } = storage;
  const keys = openKeySource(config.dataDirectory, config.masterKey);
  // A command fails with the reason itself, which is the failure's cause.
  const vault = new Vault({ keys, store: credentials, onFailure: () => {} });
  return {
    vault,
    forms: createCredentialForms(
      (slug) => findProvider(slug, config.catalogue.providers),
      () => knownProviders(config.catalogue.providers),
    ),
    rotate: () => rotateMasterKey(keys, storage),
    ask: async ({ model, endpoint }, secret) => {
      const transport = createTransport();
      try {
        const upstream = createUpstreamRegistry({ transport }).get(endpoint.provider.adapter);
        if (upstream === undefined)
          throw new HeadgateError('provider_failed', 'Its adapter is not installed.');
        const signal = AbortSignal.timeout(longestWait);
        const reached = ownEndpoint(endpoint, secret);
        let text = '';
        const room = roomOf(config.limits.answerBytes);
        const call = { request: shortQuestion, model, endpoint: reached, streamed: false, signal, room };
        for await (const batch of upstream.stream(call)) {
          for (const delta of batch) if (delta.kind === 'text') text += delta.text;
        }
        return text;
      } finally {
        await transport.close();
      }
    },
  };
}
