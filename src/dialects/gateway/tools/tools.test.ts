import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../../test/support/request-parsing.ts';
import { toolKinds } from './tool-kinds.ts';

const deep = JSON.parse(`${'{"a":'.repeat(50_000)}{}${'}'.repeat(50_000)}`);
const kinds =
  '"function", "custom", "namespace", "web_search", "web_search_2025_08_26", "web_search_preview", ' +
  '"web_search_preview_2025_03_11", "file_search", "mcp", "computer_use_preview" and ' +
  `${toolKinds.rows.size - 10} more (see /openapi.json)`;
const f = { type: 'function', name: 'f' };

/** Tools and the exact answer to them (docs/spec/tools.md#kinds). */
const refused: readonly (readonly [unknown, number, string])[] = [
  [{}, 400, 'tools: expected an array, got an object'],
  [[5], 400, 'tools[0]: expected an object, got a number'],
  [[{ name: 'f' }], 400, `tools[0].type: is required, one of ${kinds}`],
  [[f, { type: 'hammer' }], 400, `tools[1].type: must be one of ${kinds}, got "hammer"`],
  [[{ type: 'toString' }], 400, `tools[0].type: must be one of ${kinds}, got "toString"`],
  [[{ type: 'other:bash' }], 400, `tools[0].type: must be one of ${kinds}, got "other:bash"`],
  [[{ type: 'function' }], 400, 'tools[0].name: is required, expected a string'],
  [
    [{ type: 'function', function: { name: 'f', parameters: {} } }],
    400,
    'tools[0].function: the function form here is flat, put name, description and parameters beside type',
  ],
  [[{ ...f, name: 'a b' }], 400, 'tools[0].name: must match ^[A-Za-z0-9_-]{1,64}$, got "a b"'],
  [
    [{ ...f, name: 'n'.repeat(65) }],
    400,
    `tools[0].name: must match ^[A-Za-z0-9_-]{1,64}$, got "${'n'.repeat(40)}..."`,
  ],
  [[{ ...f, parameters: [] }], 400, 'tools[0].parameters: expected an object, got an array'],
  [[{ ...f, strict: 1 }], 400, 'tools[0].strict: expected a boolean, got a number'],
  [[{ ...f, async: 'yes' }], 400, 'tools[0].async: expected a boolean, got a string'],
  [
    [{ ...f, defer_loading: true }],
    400,
    'tools[0].defer_loading: requires the tool "service:tool_search"; list it, or leave this out',
  ],
  [[{ ...f, parameters: deep }], 400, 'tools[0]: must not be nested deeper than 256 levels'],
  [[{ type: 'custom' }], 400, 'tools[0].name: is required, expected a string'],
  [
    [{ type: 'custom', name: 'c', format: { type: 'xml' } }],
    400,
    'tools[0].format.type: must be one of "text", "grammar", got "xml"',
  ],
  [
    [{ type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'peg', definition: '' } }],
    400,
    'tools[0].format.syntax: must be one of "lark", "regex", got "peg"',
  ],
  [[f, { ...f }], 422, 'tools[1].name: "f" is already the name of tools[0]'],
  [[f, { type: 'custom', name: 'f' }], 422, 'tools[1].name: "f" is already the name of tools[0]'],
  [
    [f, { type: 'namespace', name: 'f', description: 'd', tools: [] }],
    422,
    'tools[1].name: "f" is already the name of tools[0]',
  ],
  [
    [f, { type: 'namespace', name: 'n', description: 'd', tools: [f, f] }],
    422,
    'tools[1].tools[1].name: "f" is already the name of tools[1].tools[0]',
  ],
  [
    [
      { type: 'mcp', server_label: 'wiki' },
      { type: 'mcp', server_label: 'wiki' },
    ],
    422,
    'tools[1].server_label: "wiki" is already the label of tools[0]',
  ],
];

for (const [tools, status, message] of refused) {
  test(`${status} ${message.slice(0, 90)}`, () => assert.deepEqual(refusal({ tools }), [status, message]));
}

test('function and custom tools become canonical', () => {
  const tools = [
    {
      ...f,
      description: 'D',
      parameters: { type: 'object' },
      strict: true,
      async: true,
      defer_loading: false,
    },
    { ...f, name: 'g', description: null, parameters: null },
    { type: 'custom', name: 'sql', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
    { type: 'custom', name: 'free', description: 'D', format: { type: 'text' } },
  ];
  assert.deepEqual(JSON.parse(JSON.stringify(parse({ tools }).canonical.tools)), [
    {
      kind: 'function',
      name: 'f',
      description: 'D',
      parameters: { type: 'object' },
      strict: true,
      async: true,
    },
    { kind: 'function', name: 'g', leavesStrict: true },
    { kind: 'custom', name: 'sql', grammar: { syntax: 'lark', definition: 'start: "x"' } },
    { kind: 'custom', name: 'free', description: 'D' },
  ]);
});
