import type { FilePart } from '../../core/request.ts';
import type { FitTarget, StageContext } from '../stage.ts';

/** Whether an endpoint's model reads a file as it is. A model that declares nothing does not: the gateway chooses here. */
export function isReadBy(
  file: FilePart,
  target: FitTarget,
  { supports }: Pick<StageContext, 'supports'>,
): boolean {
  const { fileId, data, url } = file;
  if (fileId !== undefined) return true;
  if (!target.model.inputModalities.includes('file') || !mayBeRead(file)) return false;
  const isInline = data !== undefined || /^data:/i.test(url ?? '');
  return supports(target, isInline ? 'input.file.data' : 'input.file.url');
}

/** Whether any model may read a file as it is; text is better off as text, unless it is to be cited. */
export function mayBeRead({ data, url, cites, context }: FilePart): boolean {
  return !isText(data ?? url) || cites !== undefined || context !== undefined;
}

/** Whether an endpoint's model gets the pictures of files. */
export function readsPictures(target: FitTarget, { supports }: StageContext): boolean {
  return target.model.inputModalities.includes('image') && supports(target, 'input.image.data');
}

/** Whether a data URL says that it is text, which every model reads. */
function isText(url: string | undefined): boolean {
  return url !== undefined && /^data:text\//i.test(url);
}
