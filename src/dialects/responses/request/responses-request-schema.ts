import { choice, flag, integer, list, optional, type Static, Type, text } from '../../../util/json-schema.ts';
import { commonMembers, part } from '../../gateway/common-members.ts';
import { ToolChoiceSchema } from '../../gateway/tools/tool-choice.ts';
import { ToolsSchema } from '../../gateway/tools/tools.ts';
import { InputSchema } from './input.ts';
import { PromptSchema } from './prompt.ts';
import { TextSchema } from './text-format.ts';

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
