import type { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import { fusionPlugin } from './fusion/fusion-plugin.ts';
import { responseHealing } from './response-healing/response-healing.ts';
import type { Stage } from './stage.ts';
import { webFetchPlugin } from './web-fetch/web-fetch-plugin.ts';

/** The plugins of the gateway that need nothing else. @param processes Where long damaged answers are repaired. */
export function gatewayStages(processes: Pick<IsolatedProcesses, 'run'>): readonly Stage[] {
  return [webFetchPlugin, fusionPlugin, responseHealing(processes)];
}
