import type { InferenceRequest } from '../../core/inference-request.ts';
import type { ServiceTool } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Stage, StageRun } from '../stage.ts';

const type = 'service:web_fetch';

/**
 * The plugin `web-fetch` (docs/spec/plugins.md#web-fetch): lists the tool of that purpose with the plugin's settings, unless the
 * request lists it itself.
 */
export const webFetchPlugin: Stage = {
  place: 'defaults',
  begin({ plugins, canonical }: InferenceRequest) {
    const entry = plugins?.find(({ id }) => id === 'web-fetch');
    if (entry?.enabled !== true || canonical.serviceTools?.some((tool) => tool.type === type))
      return undefined;
    return new Listing(entry.settings);
  },
};

class Listing implements StageRun {
  readonly #tool: ServiceTool;

  constructor(settings: JsonObject) {
    this.#tool = { kind: 'service', type, spelled: 'web-fetch', settings };
  }

  prepare(request: InferenceRequest): InferenceRequest {
    const { canonical } = request;
    const serviceTools = [...(canonical.serviceTools ?? []), this.#tool];
    return { ...request, canonical: { ...canonical, serviceTools } };
  }
}
