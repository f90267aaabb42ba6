import { showRecord } from '../../content/content-record.ts';
import { apiBase } from '../../edge/route.ts';
import { anyObject, flag, integer, list, marked, named, orNull, Type, text } from '../../util/json-schema.ts';
import { answerOf, Deleted, one } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { deleteContent, readContent } from './contents.ts';

const attempt = Type.Object({
  code: integer(),
  message: text(),
  provider_name: orNull(text()),
  raw: orNull(text()),
});

/** What was said in a call. */
const Content = answerOf(
  'GenerationContent',
  Type.Object({
    input: Type.Object({ messages: list(anyObject()) }),
    output: Type.Object({ completion: orNull(text()), reasoning: orNull(text()) }),
    error: orNull(
      Type.Object({
        status: orNull(integer()),
        message: orNull(text()),
        provider_name: orNull(text()),
        raw: orNull(text()),
        previous_errors: list(attempt),
      }),
    ),
    conversation: named(
      'GenerationConversation',
      Type.Object({
        system: list(anyObject()),
        messages: list(anyObject()),
        tools: list(anyObject()),
        output: orNull(anyObject()),
        truncated: flag(),
        characters_left_out: integer(),
      }),
    ),
  }),
);

const shared = {
  ...one('content'),
  path: `${apiBase}/generation/content`,
  query: Type.Object({
    id: marked(text({ minLength: 1, maxLength: 400 }), {
      wording: { missing: 'name the generation, as X-Generation-Id told it' },
    }),
  }),
} as const;

/** What was said in calls (docs/spec/content.md). */
export const contentRows: readonly Row[] = [
  jsonRow({
    ...shared,
    method: 'GET',
    id: 'listGenerationContent',
    summary: 'What was said in a call, where it was kept; each reading is in the audit log',
    answer: Content,
    handle: async ({ actor, query: { id } }, services) => ({
      data: showRecord(await readContent(actor, id, services)),
    }),
  }),
  jsonRow({
    ...shared,
    method: 'DELETE',
    id: 'deleteGenerationContent',
    summary: 'Delete what was said in a call at once; its record stays',
    answer: Deleted,
    handle: async ({ actor, query: { id } }, services) => {
      await deleteContent(actor, id, services);
      return { deleted: true };
    },
  }),
];
