import { describeEntry } from '../../dialects/service-metadata.ts';
import { apiBase } from '../../edge/paths.ts';
import { tryGuardrail } from '../../operations/guardrails/test-guardrail.ts';
import { anyObject, choice, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { jsonRow, type Row } from '../row.ts';
import { GuardrailDraft } from '../schemas/guardrails.ts';
import { closed } from '../schemas/parts.ts';
import { surroundingsOf } from './guardrails.ts';
import { one } from './management-parts.ts';

/** Characters of a text that is tried. */
const longestText = 1_048_576;

const TestGuardrail = named(
  'TestGuardrail',
  Type.Object(
    {
      text: text({ maxLength: longestText }),
      guardrail_id: Type.Optional(text({ minLength: 1 })),
      draft: Type.Optional(GuardrailDraft),
      key_hash: Type.Optional(text({ minLength: 1 })),
      scope: Type.Optional(choice('user', 'system')),
    },
    closed,
  ),
);

const GuardrailVerdict = named(
  'GuardrailVerdict',
  Type.Object({
    data: Type.Object({
      verdict: choice('pass', 'flag', 'redact', 'block'),
      text: orNull(text()),
      message: orNull(text()),
      patterns: list(text()),
      pipeline: list(anyObject()),
    }),
  }),
);

/** Trying guardrails (docs/spec/guardrails.md#trying). */
export const guardrailTestRows: readonly Row[] = [
  jsonRow({
    ...one,
    method: 'POST',
    path: `${apiBase}/guardrails/test`,
    id: 'testGuardrail',
    summary:
      'What a guardrail, a draft of one, or all that apply to a key would make of a text; nothing is called or charged',
    body: TestGuardrail,
    answer: GuardrailVerdict,
    handle: async ({ actor, body }, services) => {
      const trial = {
        text: body.text,
        guardrailId: body.guardrail_id,
        draft: body.draft,
        keyHash: body.key_hash,
        isUser: body.scope !== 'system',
      };
      const surroundings = surroundingsOf(services);
      const {
        verdict,
        text: left,
        message,
        patterns,
        entries,
      } = await tryGuardrail(actor, trial, surroundings, services);
      return {
        data: {
          verdict,
          text: left ?? null,
          message: message ?? null,
          patterns,
          pipeline: entries.map(describeEntry),
        },
      };
    },
  }),
];
