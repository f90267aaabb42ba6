import { fusionPlugin } from './fusion/fusion-plugin.ts';
import { responseHealing } from './response-healing/response-healing.ts';
import type { Stage } from './stage.ts';

/** The plugins and guardrails of the gateway. */
export const gatewayStages: readonly Stage[] = [fusionPlugin, responseHealing];
