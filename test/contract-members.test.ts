import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chatRequestFields } from '../src/dialects/chat-completions/request/chat-request-schema.ts';
import { messagesRequestFields } from '../src/dialects/messages/request/messages-request-schema.ts';

const file = join(import.meta.dirname, '../../shared/contract/openapi.json');
const contract = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;

/** The members of a request in the contract; none where it does not lie beside this checkout. */
function membersOf(schema: string): readonly string[] {
  return Object.keys(contract?.components.schemas[schema].properties ?? {});
}

for (const [schema, fields] of [
  ['ChatRequest', chatRequestFields],
  ['MessagesRequest', messagesRequestFields],
] as const) {
  test(`every member that the contract gives ${schema} has a rule`, () => {
    const known: ReadonlySet<string> = new Set(fields);
    const without = membersOf(schema).filter((name) => !known.has(name));
    assert.deepEqual(without, []);
  });
}
