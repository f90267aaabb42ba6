import type { ContentPart, ImagePart, Item } from '../../core/request.ts';
import { generationOf } from './model-traits.ts';
import type { GenerationConfig } from './wire.ts';

const resolutions: { readonly [Detail in ImagePart['detail']]?: GenerationConfig['mediaResolution'] } = {
  low: 'MEDIA_RESOLUTION_LOW',
  high: 'MEDIA_RESOLUTION_HIGH',
  original: 'MEDIA_RESOLUTION_HIGH',
};

/**
 * The resolution at which the model views pictures. The dialect has one setting for all media of a request, so it is
 * set only when all pictures agree and there are no files or videos. Undefined leaves it to the provider.
 */
export function mediaResolution(
  items: readonly Item[],
  upstreamModel: string,
): GenerationConfig['mediaResolution'] {
  // Models that draw, and open models, do not have this setting.
  if ((generationOf(upstreamModel) ?? 0) < 2 || upstreamModel.includes('image')) return undefined;
  const shown = items.flatMap(partsOf);
  const details = new Set(shown.flatMap((part) => (part.kind === 'image' ? part.detail : [])));
  const [detail] = details;
  const hasOthers = shown.some(({ kind }) => kind === 'file' || kind === 'video');
  return detail === undefined || details.size > 1 || hasOthers ? undefined : resolutions[detail];
}

function partsOf(item: Item): readonly ContentPart[] {
  if (item.kind === 'message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}
