import type { OutputLogprob } from '../../../core/delta.ts';
import { createChecker } from '../../../schema/checker.ts';
import {
  anyOf,
  choice,
  handled,
  integer,
  list,
  number,
  optional,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { cacheMembers, readBlockCache } from '../common-settings.ts';
import { annotationSchemas, readAnnotations } from './annotations.ts';
import type { ContentKind } from './content-kind.ts';

const members = { token: text(), logprob: number(), bytes: optional(list(integer())) };
const AlternativeSchema = Type.Object(members);

/** The log probabilities an assistant's text may carry (docs/spec/requests.md#content-parts). */
const LogprobsSchema = list(Type.Object({ ...members, top_logprobs: optional(list(AlternativeSchema)) }));

const checkLogprobs = createChecker(LogprobsSchema);

/**
 * Reads the log probabilities of a text that is replayed; none where there are none.
 * @throws HeadgateError `invalid_request`.
 */
function readLogprobs(value: unknown, path: string): readonly OutputLogprob[] | undefined {
  if (value === undefined || value === null) return undefined;
  const tokens = checkLogprobs(value, path).map(({ top_logprobs: others, ...token }) => ({
    ...withBytes(token),
    top_logprobs: (others ?? []).map(withBytes),
  }));
  return tokens.length === 0 ? undefined : tokens;
}

interface Token {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null;
}

function withBytes({ token, logprob, bytes }: Token): Omit<OutputLogprob, 'top_logprobs'> {
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}

/** `output_text`: something a model said, replayed with its citations and log probabilities. */
const OutputTextSchema = Type.Object({
  type: choice('output_text'),
  text: text(),
  annotations: Type.Optional(handled(optional(list(anyOf(...annotationSchemas))))),
  logprobs: Type.Optional(handled(optional(LogprobsSchema))),
  ...cacheMembers,
});

/** `refusal`: a model's refusal, replayed. */
const RefusalSchema = Type.Object({ type: choice('refusal'), refusal: text() });

const checkOutputText = createChecker(OutputTextSchema);
const checkRefusal = createChecker(RefusalSchema);

/** How `output_text` is read. */
export const outputText: ContentKind = {
  schema: OutputTextSchema,
  read(part, path, rules) {
    const checked = checkOutputText(part, path);
    const annotations = readAnnotations(checked.annotations, `${path}.annotations`);
    if (checked.text === '') return undefined;
    const logprobs = readLogprobs(checked.logprobs, `${path}.logprobs`);
    const cacheControl = readBlockCache(checked, rules);
    return { kind: 'text', text: checked.text, annotations, logprobs, cacheControl };
  },
};

/** How `refusal` is read. */
export const refusal: ContentKind = {
  schema: RefusalSchema,
  read(part, path) {
    const checked = checkRefusal(part, path);
    return checked.refusal === '' ? undefined : { kind: 'refusal', text: checked.refusal };
  },
};
