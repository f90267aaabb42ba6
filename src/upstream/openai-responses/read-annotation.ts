import type * as Wire from 'openai/resources/responses/responses';
import type { Annotation, OutputLogprob, TokenLogprob } from '../../core/delta.ts';
import { type Lenient, textOf } from '../lenient.ts';

/** Some compatible providers quote what they cite. */
type WireUrlCitation = Lenient<Wire.ResponseOutputText.URLCitation & { content: string }>;

/** Reads a citation; undefined for unknown kinds. */
export function readAnnotation(
  annotation: Lenient<Wire.ResponseOutputText['annotations'][number]>,
): Annotation | undefined {
  switch (annotation.type) {
    case 'url_citation': {
      const { type, url, title, start_index, end_index, content }: WireUrlCitation = annotation;
      if (!url) return undefined;
      const place = { start_index: start_index ?? 0, end_index: end_index ?? 0 };
      return {
        type,
        url,
        title: title ?? '',
        ...place,
        ...(textOf(content) && { content: textOf(content) }),
      };
    }
    case 'file_citation': {
      const { type, file_id, filename, index } = annotation;
      if (!file_id) return undefined;
      return { type, file_id, filename: filename ?? '', index: index ?? 0 };
    }
    case 'file_path': {
      const { type, file_id, index } = annotation;
      return file_id ? { type, file_id, index: index ?? 0 } : undefined;
    }
    case 'container_file_citation': {
      // The nearest form for a file of a container: it has an id and a name, and the end of the cited text.
      const { file_id, filename, start_index, end_index } = annotation;
      if (!file_id) return undefined;
      return {
        type: 'file_citation',
        file_id,
        filename: filename ?? '',
        index: end_index ?? start_index ?? 0,
      };
    }
    default:
      return undefined;
  }
}

type WireLogprob = Lenient<Wire.ResponseOutputText.Logprob | Wire.ResponseTextDeltaEvent.Logprob>;

/** Log probabilities of a piece of text; undefined without any. */
export function readLogprobs(
  logprobs: readonly WireLogprob[] | null | undefined,
): readonly OutputLogprob[] | undefined {
  if (!logprobs || logprobs.length === 0) return undefined;
  return logprobs.map((entry) => ({
    ...readToken(entry),
    top_logprobs: (entry.top_logprobs ?? []).map(readToken),
  }));
}

interface WireToken {
  readonly token?: string | null;
  readonly logprob?: number | null;
  readonly bytes?: readonly number[] | null;
}

function readToken(entry: WireToken): TokenLogprob {
  const token = entry.token ?? '';
  return { token, logprob: entry.logprob ?? 0, bytes: entry.bytes ?? [...Buffer.from(token)] };
}
