import { isObject } from '../util/json.ts';
import type { PluginEntry } from './inference-request.ts';

/**
 * Who reads the files of a request (docs/spec/plugins.md#file-parser): the engine that it names, `native` where only the model
 * itself may, undefined where the gateway chooses.
 */
export function fileEngineOf(plugins: readonly PluginEntry[] | undefined): string | undefined {
  const entry = plugins?.find(({ id }) => id === 'file-parser');
  if (entry?.enabled === false) return 'native';
  const pdf = entry?.settings.pdf;
  return isObject(pdf) && typeof pdf.engine === 'string' ? pdf.engine : undefined;
}
