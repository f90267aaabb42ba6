import { fusionPlugin } from './fusion/fusion-plugin.ts';
import { responseHealing } from './response-healing/response-healing.ts';
import type { Stage } from './stage.ts';
import { webFetchPlugin } from './web-fetch/web-fetch-plugin.ts';

/** The plugins and guardrails of the gateway. */
export const gatewayStages: readonly Stage[] = [webFetchPlugin, fusionPlugin, responseHealing];
