import {
  anyObject,
  byKind,
  choice,
  integer,
  list,
  optional,
  Type,
  text,
} from '../../../../util/json-schema.ts';
import { hostedItem } from './hosted-item.ts';
import { statusOf, usualStatuses } from './status.ts';

const searchStatus = statusOf('in_progress', 'searching', 'completed', 'failed');
const Source = Type.Object({ type: choice('url'), url: text() });

/** What a web search did: searched, opened a page, or looked for something in one. */
const SearchActionSchema = byKind('type', {
  search: Type.Object({
    type: choice('search'),
    query: text(),
    queries: optional(list(text())),
    sources: optional(list(Source)),
  }),
  open_page: Type.Object({ type: choice('open_page'), url: optional(text()) }),
  find_in_page: Type.Object({ type: choice('find_in_page'), pattern: text(), url: text() }),
});

const InterpreterOutputSchema = byKind('type', {
  logs: Type.Object({ type: choice('logs'), logs: text() }),
  image: Type.Object({ type: choice('image'), url: text() }),
  file: Type.Object({
    type: choice('file'),
    id: optional(text()),
    filename: optional(text()),
    media_type: optional(text()),
    size_bytes: optional(integer()),
    sha256: optional(text()),
    download_url: optional(text()),
    expires_at: optional(text()),
    status: optional(text()),
    error_code: optional(text()),
  }),
});

const SafetyCheckSchema = Type.Object({ id: text(), code: optional(text()), message: optional(text()) });

/** Items of the tools providers run (docs/spec/items.md#kinds). */
export const providerToolItems = {
  web_search_call: hostedItem('web_search_call', { action: optional(SearchActionSchema) }, searchStatus),
  file_search_call: hostedItem(
    'file_search_call',
    { queries: list(text()), results: optional(list(anyObject())) },
    searchStatus,
  ),
  image_generation_call: hostedItem(
    'image_generation_call',
    { result: optional(text()), prompt: optional(text()) },
    statusOf('in_progress', 'generating', 'completed', 'failed'),
  ),
  code_interpreter_call: hostedItem(
    'code_interpreter_call',
    {
      code: optional(text()),
      container_id: optional(text()),
      outputs: optional(list(InterpreterOutputSchema)),
    },
    statusOf(...usualStatuses, 'interpreting', 'failed'),
  ),
  computer_call: hostedItem(
    'computer_call',
    {
      call_id: text({ minLength: 1 }),
      pending_safety_checks: list(SafetyCheckSchema),
      action: optional(anyObject()),
    },
    statusOf(...usualStatuses),
  ),
  // Named by `include` only: its output is passed on as it is (docs/spec/items.md#kinds).
  computer_call_output: hostedItem(
    'computer_call_output',
    { call_id: text({ minLength: 1 }), output: Type.Unknown() },
    statusOf(...usualStatuses),
  ),
} as const;
