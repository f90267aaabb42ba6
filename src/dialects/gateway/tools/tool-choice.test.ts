import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../../test/support/request-parsing.ts';

const tools = [
  { type: 'function', name: 'f' },
  { type: 'function', name: 'g' },
  { type: 'custom', name: 'sql' },
  { type: 'namespace', name: 'crm', description: 'D', tools: [{ type: 'function', name: 'list' }] },
  { type: 'web_search' },
  { type: 'mcp', server_label: 'wiki', authorization: 'secret' },
];
const forms =
  '"function", "custom", "allowed_tools", "web_search_preview", "web_search_preview_2025_03_11", "apply_patch", "shell", ';

/** Choices and the exact answer to them, or its beginning (docs/spec/tools.md#tool-choice). */
const refused: readonly (readonly [unknown, number, string])[] = [
  ['any', 400, 'tool_choice: must be one of "auto", "none", "required" or an object, got "any"'],
  [5, 400, 'tool_choice: expected a string or an object, got a number'],
  [{}, 400, `tool_choice.type: is required, one of ${forms}`],
  [{ type: 'mcp' }, 400, `tool_choice.type: must be one of ${forms}`],
  [{ type: 'service:hammer' }, 400, `tool_choice.type: must be one of ${forms}`],
  [{ type: 'function' }, 400, 'tool_choice.name: is required, expected a string'],
  [{ type: 'allowed_tools', tools: [] }, 400, 'tool_choice.mode: is required, one of "auto", "required"'],
  [
    { type: 'allowed_tools', mode: 'auto', tools: ['f'] },
    400,
    'tool_choice.tools[0]: expected an object, got a string',
  ],
  [
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function' }] },
    400,
    'tool_choice.tools[0].name: expected a string, got nothing',
  ],
  [{ type: 'function', name: 'h' }, 422, 'tool_choice.name: tools holds no function tool named "h"'],
  [{ type: 'function', name: 'sql' }, 422, 'tool_choice.name: tools holds no function tool named "sql"'],
  [{ type: 'custom', name: 'f' }, 422, 'tool_choice.name: tools holds no custom tool named "f"'],
  [{ type: 'shell' }, 422, 'tool_choice.type: tools holds no "shell" tool'],
  [{ type: 'word:web_fetch' }, 422, 'tool_choice.type: tools holds no "word:web_fetch" tool'],
  [{ type: 'file_search' }, 400, `tool_choice.type: must be one of ${forms}`],
  [
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'h' }] },
    422,
    'tool_choice.tools[0].name: tools holds no function tool named "h"',
  ],
  [
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'x' }] },
    422,
    'tool_choice.tools[0].type: tools holds no "mcp" tool',
  ],
  [
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'hammer' }] },
    422,
    'tool_choice.tools[0].type: tools holds no "hammer" tool',
  ],
  [
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'namespace', name: 'shop' }] },
    422,
    'tool_choice.tools[0].name: tools holds no namespace named "shop"',
  ],
  [
    { type: 'allowed_tools', mode: 'required', tools: [] },
    422,
    'tool_choice.tools: mode "required" needs at least one tool',
  ],
];

for (const [choice, status, message] of refused) {
  test(`${status} ${message.slice(0, 90)}`, () => {
    const [gotStatus, gotMessage] = refusal({ tools, tool_choice: choice });
    assert.deepEqual([gotStatus, gotMessage.slice(0, message.length)], [status, message]);
  });
}

test('"required" without tools contradicts itself', () => {
  assert.deepEqual(refusal({ tool_choice: 'required' }), [
    422,
    'tool_choice: "required" needs at least one tool in tools',
  ]);
});

const mixed = {
  type: 'allowed_tools',
  mode: 'auto',
  tools: [
    { type: 'namespace', name: 'crm' },
    { type: 'custom', name: 'sql' },
    { type: 'mcp', server_label: 'wiki' },
    { type: 'web_search' },
  ],
};
const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }] };

/** Choices, what they become, and how the response repeats them. */
const accepted: readonly (readonly [unknown, object, unknown])[] = [
  [undefined, { kind: 'auto' }, 'auto'],
  [null, { kind: 'auto' }, 'auto'],
  ['none', { kind: 'none' }, 'none'],
  ['required', { kind: 'required' }, 'required'],
  [tools[0], { kind: 'tool', form: 'function', name: 'f' }, tools[0]],
  [tools[2], { kind: 'tool', form: 'custom', name: 'sql' }, 'required'],
  [allowed, { kind: 'allowed', mode: 'required', names: ['g'] }, allowed],
  [
    mixed,
    { kind: 'allowed', mode: 'auto', names: ['crm.list', 'sql'], hosted: ['mcp', 'web_search'] },
    mixed,
  ],
  [
    { type: 'function', name: 'list' },
    { kind: 'tool', form: 'function', name: 'list', namespace: 'crm' },
    { type: 'function', name: 'list' },
  ],
  [
    { type: 'web_search_preview' },
    { kind: 'hosted', tool: 'web_search', type: 'web_search_preview' },
    { type: 'web_search_preview' },
  ],
  [{ type: 'word:web_search' }, { kind: 'hosted', tool: 'web_search', type: 'web_search' }, 'required'],
  [{ ...allowed, mode: 'auto', tools: [] }, { kind: 'none' }, { ...allowed, mode: 'auto', tools: [] }],
];

for (const [choice, canonical, echo] of accepted) {
  test(`tool_choice ${JSON.stringify(choice)}`, () => {
    const request = parse({ tools, tool_choice: choice });
    assert.deepEqual(request.canonical.toolChoice, canonical);
    assert.deepEqual(request.echo.tool_choice, echo);
  });
}

const shared = ['crm', 'shop'].map((name) => ({
  type: 'namespace',
  name,
  description: 'D',
  tools: [{ type: 'function', name: 'list' }],
}));
const one = { type: 'function', name: 'list', namespace: 'shop' };

test('of two namespaces with a tool of one name the choice says which', () => {
  const choose = (tool_choice: object, tools: readonly object[] = shared) =>
    parse({ tools, tool_choice }).canonical.toolChoice;
  assert.deepEqual(choose(one), { kind: 'tool', form: 'function', name: 'list', namespace: 'shop' });
  assert.deepEqual(refusal({ tools: shared, tool_choice: { type: 'function', name: 'list' } }), [
    422,
    'tool_choice.name: "list" is in several namespaces: say which with "namespace"',
  ]);
  assert.deepEqual(refusal({ tools: shared, tool_choice: { ...one, namespace: 'sea' } }), [
    422,
    'tool_choice.name: tools holds no function tool named "list" in a namespace "sea"',
  ]);
  const names = (tools: readonly object[], offered?: readonly object[]) => {
    const choice = choose({ type: 'allowed_tools', mode: 'auto', tools }, offered);
    return choice.kind === 'allowed' ? choice.names : undefined;
  };
  assert.deepEqual(names([one]), ['shop.list']);
  assert.deepEqual(names([{ type: 'namespace', name: 'crm' }]), ['crm.list']);
  assert.deepEqual(names([{ type: 'function', name: 'list' }]), ['crm.list', 'shop.list']);
  const plain = { type: 'function', name: 'list' };
  assert.deepEqual(names([plain], [plain, ...shared]), ['list'], 'a tool of its own comes first');
});

test('a tool that is given anew later is still one tool', () => {
  const again = { type: 'additional_tools', role: 'user', tools: [{ type: 'function', name: 'f' }] };
  const input = [again, { role: 'user', content: 'Hello.' }];
  const { canonical } = parse({ tools, input, tool_choice: { type: 'function', name: 'f' } });
  assert.deepEqual(canonical.toolChoice, { kind: 'tool', form: 'function', name: 'f' });
});
