import { createChecker } from '../../../schema/checker.ts';
import { anyOf, choice, handled, list, optional, Type, text } from '../../../util/json-schema.ts';
import { cacheMembers, readBlockCache } from '../cache.ts';
import { annotationSchemas, readAnnotations } from './annotations.ts';
import type { ContentKind } from './content-kind.ts';
import { LogprobsSchema, readLogprobs } from './logprobs.ts';

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
