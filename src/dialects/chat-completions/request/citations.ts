import type { ContentPart } from '../../../core/request.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { readAnnotations } from '../../gateway/content/annotations.ts';
import { endOf, moved } from '../../gateway/content/replayed-citations.ts';

/**
 * Gives the texts of a replayed message its citations (docs/spec/chat.md#messages). They count in all the text of the
 * message; each belongs to the text it ends in. What is no whole citation is left out: it only restates the text.
 * @throws HeadgateError `invalid_request` for one that is nested too deep.
 */
export function withCitations(
  { annotations }: JsonObject,
  path: string,
  parts: readonly ContentPart[],
): readonly ContentPart[] {
  if (!Array.isArray(annotations) || annotations.length === 0) return parts;
  const known = readAnnotations(annotations.flatMap(flat), `${path}.annotations`) ?? [];
  let offset = 0;
  return parts.map((part) => {
    if (part.kind !== 'text') return part;
    const from = offset;
    offset += part.text.length;
    const own = known.filter((one) => endOf(one) <= offset && (endOf(one) > from || from === 0));
    return own.length === 0 ? part : { ...part, annotations: own.map((one) => moved(one, -from)) };
  });
}

/** A citation with its members beside its type, as `input` bodies have it. */
function flat(entry: unknown): readonly JsonObject[] {
  if (!isObject(entry) || typeof entry.type !== 'string') return [];
  const { type } = entry;
  const inner = entry[type];
  const members: JsonObject = isObject(inner) ? inner : entry;
  const { title, filename, content, citation } = members;
  const isPlaced =
    type === 'url_citation'
      ? typeof members.url === 'string' && areWhole(members.start_index, members.end_index)
      : typeof members.file_id === 'string' && areWhole(members.index);
  if (!isPlaced) return [];
  return [
    {
      ...members,
      type,
      title: textOf(title),
      filename: textOf(filename),
      content: typeof content === 'string' ? content : undefined,
      citation: isObject(citation) ? citation : undefined,
    },
  ];
}

function areWhole(...places: readonly unknown[]): boolean {
  return places.every((place) => Number.isInteger(place) && Number(place) >= 0);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
