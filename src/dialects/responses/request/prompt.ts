import { createChecker } from '../../../schema/checker.ts';
import { malformed, memberPath, nameOf } from '../../../schema/fault.ts';
import { rowFor, schemasOf } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { anyOf, handled, map, optional, type Static, Type, text } from '../../../util/json-schema.ts';
import { toolOutputParts } from '../../gateway/content/content-parts.ts';
import { withoutNulls } from '../../gateway/without-nulls.ts';

const VariableSchema = anyOf(text(), ...schemasOf('Content', toolOutputParts));

/** `prompt`: a template that some provider keeps, and what to fill in (docs/spec/requests.md#prompt-templates). */
export const PromptSchema = Type.Object({
  id: text({ minLength: 1 }),
  variables: optional(map(handled(VariableSchema))),
});

const checkPrompt = createChecker(PromptSchema);

/** Reads `prompt`; it is passed on as it is. @throws HeadgateError `invalid_request`. */
export function readPrompt(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const prompt = withoutNulls<Static<typeof PromptSchema>>(checkPrompt(value, 'prompt'));
  refuseDeep(prompt, 'prompt');
  for (const [name, variable] of Object.entries(prompt.variables ?? {})) {
    checkVariable(variable, memberPath('prompt.variables', name));
  }
  return { ...prompt };
}

function checkVariable(value: unknown, path: string): void {
  if (typeof value === 'string') return;
  if (!isObject(value)) throw malformed(path, `expected a string or a content part, got ${nameOf(value)}`);
  rowFor(toolOutputParts, value, path).read(value, path, {});
}
