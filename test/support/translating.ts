import type { Endpoint, Model, Provider } from '../../src/core/catalogue.ts';
import type { Delta } from '../../src/core/delta.ts';
import type { Feature, Support } from '../../src/core/features.ts';
import type { CanonicalChat } from '../../src/core/request.ts';
import { featuresUsed } from '../../src/translation/features-used.ts';
import { translate } from '../../src/translation/translate.ts';
import type { Translation } from '../../src/translation/translation.ts';
import { createCall } from '../fake-upstream/upstream-call.ts';
import { mergeDeltas } from './adapter-harness.ts';
import { supportOf } from './scripted-upstream.ts';

/** What a test wants different from a request of one user message to a dialect that has words for everything. */
export interface TranslationCase {
  readonly request?: Partial<CanonicalChat>;
  readonly support?: Partial<Record<Feature, Support>>;
  readonly provider?: Partial<Provider>;
  readonly endpoint?: Partial<Endpoint>;
  readonly model?: Partial<Model>;
}

/** Translates for one endpoint; undefined members of what comes out are gone, as no adapter sees them. */
export function translated(changes: TranslationCase): Translation {
  const { request, model, endpoint } = createCall(changes);
  const support = supportOf(changes.support);
  const translation = translate(request, featuresUsed(request), { model, endpoint, support });
  return { ...translation, request: JSON.parse(JSON.stringify(translation.request)) };
}

/** The fields altered, each with what was done. */
export function altered(translation: Translation): readonly string[] {
  return translation.alterations.map(({ field, action }) => `${field} ${action}`);
}

/** What a caller sees of an answer, neighbouring pieces joined. */
export function restored({ restore }: Translation, deltas: readonly Delta[]): readonly Delta[] {
  return mergeDeltas(restore === undefined ? deltas : restore(deltas));
}

/** The same deltas with their texts cut into pieces of the widths given, in turn, one batch a piece. */
export function cutUp(deltas: readonly Delta[], widths: readonly number[]): Delta[][] {
  let turn = 0;
  return deltas.flatMap((delta) => {
    if (!('text' in delta)) return [[delta]];
    const pieces: Delta[][] = [];
    for (let at = 0; at < delta.text.length; turn++) {
      const width = widths[turn % widths.length] ?? 1;
      pieces.push([{ ...delta, text: delta.text.slice(at, at + width) }]);
      at += width;
    }
    return pieces;
  });
}

/** What a caller sees of an answer that comes batch by batch. */
export function restoredInBatches(
  { restore }: Translation,
  batches: readonly (readonly Delta[])[],
): readonly Delta[] {
  return mergeDeltas(batches.flatMap((batch) => (restore === undefined ? batch : restore(batch))));
}

/** A call of a function with its arguments, as a dialect tells it that says when a call is over. */
export function callOf(block: number, name: string, text: string, callId = `call_${block}`): Delta[] {
  return [
    { kind: 'call', block, form: 'function', name, callId },
    { kind: 'arguments', block, text },
    { kind: 'end', block },
  ];
}
