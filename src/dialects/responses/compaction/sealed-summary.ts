import { isObject, parseJson } from '../../../util/json.ts';
import type { CarrierSeal } from '../../public-dialect.ts';

/** What summaries of the gateway begin with. */
const mark = 'hgs1.';

/** Whether the content of a compaction item is a summary that a gateway like this one has sealed. */
export function isSealedSummary(content: string): boolean {
  return content.startsWith(mark);
}

/** Seals a summary for the account of its conversation (docs/spec/compaction.md#sealed-summaries). */
export function sealSummary(summary: string, seal: CarrierSeal): string {
  return mark + seal.seal(JSON.stringify({ summary }));
}

/** The summary again; undefined when it was altered, or sealed for another account or by another installation. */
export function openSummary(content: string, seal: CarrierSeal | undefined): string | undefined {
  const text = seal?.open(content.slice(mark.length));
  const value = text === undefined ? undefined : parseJson(text);
  return isObject(value) && typeof value.summary === 'string' ? value.summary : undefined;
}
