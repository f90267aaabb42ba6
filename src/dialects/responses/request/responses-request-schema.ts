import { createChecker } from '../../../schema/checker.ts';
import { malformed, memberPath, nameOf } from '../../../schema/fault.ts';
import { rowFor, schemasOf } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import {
  anyOf,
  choice,
  flag,
  handled,
  integer,
  list,
  map,
  optional,
  type Static,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { commonMembers, part } from '../../gateway/common-settings.ts';
import { toolOutputParts } from '../../gateway/content/content-parts.ts';
import { ToolChoiceSchema } from '../../gateway/tools/tool-choice.ts';
import { ToolsSchema } from '../../gateway/tools/tools.ts';
import { withoutNulls } from '../../gateway/without-nulls.ts';
import { InputSchema } from './input.ts';
import { TextSchema } from './text-format.ts';

const VariableSchema = anyOf(text(), ...schemasOf('Content', toolOutputParts));

/** `prompt`: a template that some provider keeps, and what to fill in (docs/spec/requests.md#prompt-templates). */
const PromptSchema = Type.Object({
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

const members = {
  ...commonMembers,
  input: part(InputSchema),
  instructions: optional(text()),
  previous_response_id: Type.Optional(Type.Unknown()),
  conversation: Type.Optional(Type.Unknown()),
  background: optional(flag()),
  max_output_tokens: optional(integer({ minimum: 1 })),
  modalities: optional(list(choice('text', 'image'))),
  include: optional(
    list(
      choice(
        'file_search_call.results',
        'message.input_image.image_url',
        'computer_call_output.output.image_url',
        'reasoning.encrypted_content',
        'code_interpreter_call.outputs',
      ),
    ),
  ),
  text: part(TextSchema),
  tools: part(ToolsSchema),
  tool_choice: part(ToolChoiceSchema),
  truncation: optional(choice('auto', 'disabled')),
  prompt: part(PromptSchema),
};

/**
 * The body of `POST /responses` (docs/spec/requests.md#fields). Unknown members are accepted
 * (docs/spec/requests.md#leniency); members that tell kinds apart are documented here and checked by the files they
 * come from.
 */
export const ResponsesRequestSchema = Type.Object(members);

/** A body whose plain members were checked. */
export type ResponsesRequest = Static<typeof ResponsesRequestSchema>;

/** The members of the body that anybody here knows. */
export const responsesRequestFields = Object.keys(members) as readonly (keyof ResponsesRequest)[];
